"""Mixers for long texts, written from their papers one query at a time."""
import numpy as np

from plain_case import PlainCase, heads, joined, layer_norm, rms, sigmoid, softmax, unit


def read(q, keys, values, bias=0):
    """One query [K] over a list of keys: softmax(q k^T / sqrt(K) + bias) v; no keys: 0."""
    if len(keys) == 0:
        return np.zeros_like(q)
    return softmax(np.stack(keys) @ q / np.sqrt(len(q)) + bias) @ np.stack(values)


def native_sparse(name, kv_heads):
    """C18: compressed blocks that have ended; words of the first, the previous, the own and the best blocks; a window."""
    l, n, w, H, K, D = 1 if kv_heads == 2 else 2, 4, 2, 2, 2, 4
    T = 7 if kv_heads == 2 else 10
    case = PlainCase(__file__, "mixer", f"native_sparse:block={l},selected={n},window={w},kv_heads={kv_heads}", name=name)
    x = case.input("x", (1, T, D))[0]
    linear = {}
    for layer, (out, inputs) in {"q_proj": (D, D), "k_proj": (3 * kv_heads * K, D), "v_proj": (3 * kv_heads * K, D),
                                 "k_block": (K, l * K), "v_block": (K, l * K), "gates": (3 * H, D),
                                 "out_proj": (D, D)}.items():
        W, b = case.parameter(layer + ".weight", (out, inputs)), case.parameter(layer + ".bias", (out,), 0.5)
        linear[layer] = lambda y, W=W, b=b: y @ W.T + b
    q = linear["q_proj"](x).reshape(T, H, K)
    k, v = (linear[layer](x).reshape(T, 3, kv_heads, K) for layer in ("k_proj", "v_proj"))
    gates = sigmoid(linear["gates"](x)).reshape(T, 3, H)
    y = np.zeros((T, H, K))
    for t in range(T):
        own, ended = t // l, (t + 1) // l
        for g in range(kv_heads):
            mine = [h for h in range(H) if h // (H // kv_heads) == g]
            ck = [linear["k_block"](k[j * l:(j + 1) * l, 0, g].reshape(-1)) for j in range(ended)]
            cv = [linear["v_block"](v[j * l:(j + 1) * l, 0, g].reshape(-1)) for j in range(ended)]
            p = sum(softmax(np.stack(ck) @ q[t, h] / np.sqrt(K)) for h in mine) if ended else []
            chosen = {0, max(own - 1, 0), own}
            for j in sorted(set(range(ended)) - chosen, key=lambda j: -p[j]):
                if len(chosen) < n:
                    chosen.add(j)
            words = [s for s in range(t + 1) if s // l in chosen]
            near = range(max(0, t - w + 1), t + 1)
            for h in mine:
                y[t, h] = (gates[t, 0, h] * read(q[t, h], ck, cv) +
                           gates[t, 1, h] * read(q[t, h], k[words, 1, g], v[words, 1, g]) +
                           gates[t, 2, h] * read(q[t, h], k[near, 2, g], v[near, 2, g]))
    return case.output(linear["out_proj"](y.reshape(1, T, D)))


def bucket(distance, buckets, longest):
    """T5: half of the buckets for later words; half of each for one distance, the others on a log scale."""
    half = buckets // 2
    base, far, exact = half if distance > 0 else 0, abs(distance), buckets // 4
    if far < exact:
        return base + far
    share = np.log(far / exact) / np.log(longest / exact)
    return base + min(exact + int(share * (half - exact)), half - 1)


def transient_global():
    """K9: LongT5's encoder; the last short block joins the one before, and sums, not means, are normalised."""
    r, block, buckets, longest, H, D, T = 2, 3, 8, 6, 2, 4, 8
    case = PlainCase(__file__, "mixer", f"transient_global:radius={r},block={block},buckets={buckets},max_distance={longest}",
                     causal=False)
    x = case.input("x", (2, T, D))
    padding = case.add("input.padding", np.array([[0] * T, [0] * (T - 3) + [1] * 3]))
    W = [case.parameter(p + "_proj.weight", (D, D)) for p in ("q", "k", "v", "out")]
    gain = case.parameter("norm.weight", (D,), 0.2, 1)
    local, side = (case.parameter(p + "_bias.weight", (buckets, H), 1) for p in ("local", "global"))
    y = np.zeros_like(x)
    for b in range(2):
        words = int((padding[b] == 0).sum())
        blocks = words // block
        of = [min(s // block, blocks - 1) for s in range(words)]  # -1: no block at all
        summaries = np.array([sum(x[b, s] for s in range(words) if of[s] == j) for j in range(blocks)]).reshape(-1, D)
        summaries = rms(summaries, 1e-6) * gain
        q, k, v = (heads((x[b, :words] @ w.T)[None], H)[0] for w in W[:3])
        sk, sv = (heads((summaries @ w.T)[None], H)[0] for w in W[1:3])
        c = np.zeros_like(q)
        for h in range(H):
            for t in range(words):
                near = [s for s in range(words) if abs(s - t) <= r]
                scores = [q[h, t] @ k[h, s] + local[bucket(s - t, buckets, longest), h] for s in near]
                scores += [q[h, t] @ sk[h, j] + side[bucket(j - of[t], buckets, longest), h] for j in range(blocks)]
                c[h, t] = softmax(np.array(scores)) @ np.concatenate([v[h, near], sv[h]])
        y[b, :words] = joined(c[None])[0] @ W[3].T
    return case.output(y)


def longnet(causal):
    """K8: branches (w a^i, a^i); in each segment head h keeps the words at offset h mod r; merged by their denominators."""
    w, a, n, H, D, T, K = 2, 2, 3, 2, 4, 9, 2
    case = PlainCase(__file__, "mixer", f"longnet:segment={w},ratio={a},branches={n}", causal=causal,
                     name="longnet" if causal else "longnet_encoder")
    x = case.input("x", (1, T, D))
    W, b = case.parameter("in_proj_weight", (3 * D, D)), case.parameter("in_proj_bias", (3 * D,), 0.5)
    Wo, bo = case.parameter("out_proj.weight", (D, D)), case.parameter("out_proj.bias", (D,), 0.5)
    q, k, v = (heads(y, H)[0] for y in np.split(x @ W.T + b, 3, -1))
    y = np.zeros((H, T, K))
    for h in range(H):
        for t in range(T):
            sizes, contexts = [], []
            for i in range(n):
                segment, r = w * a ** i, a ** i
                begin = t // segment * segment
                kept = [s for s in range(begin, min(T, begin + segment)) if (s - begin) % r == h % r]
                if t not in kept:
                    continue
                seen = [s for s in kept if s <= t or not causal]
                e = np.exp(k[h, seen] @ q[h, t] / np.sqrt(K))
                sizes.append(e.sum()), contexts.append(e / e.sum() @ v[h, seen])
            y[h, t] = np.array(sizes) / sum(sizes) @ np.array(contexts)
    return case.output(joined(y[None]) @ Wo.T + bo)


def turned(x, first=0):
    """Turns of neighbouring pairs by the angles of retention, the last of which is 1 / 10000; x [B, H, T, K]."""
    y, K = np.empty_like(x), x.shape[-1]
    for t in range(x.shape[2]):
        for i in range(K // 2):
            angle = (first + t) * 10000.0 ** (-i / (K // 2 - 1))
            a, b = x[:, :, t, 2 * i], x[:, :, t, 2 * i + 1]
            y[:, :, t, 2 * i] = a * np.cos(angle) - b * np.sin(angle)
            y[:, :, t, 2 * i + 1] = a * np.sin(angle) + b * np.cos(angle)
    return y


def yoco(name, layer, layers):
    """K15: gated retention below; keys and values of the middle above. A layer after the middle is given them."""
    B, T, D, H, K = 1, 4, 8, 2, 4
    case = PlainCase(__file__, "mixer", "yoco:chunk=2", name=name, layer=layer, layers=layers)
    x = case.input("x", (B, T, D))
    if layer < layers // 2:
        W = {p: case.parameter(f"retention.{p}.weight", (H if p == "decay" else D, D))
             for p in ("query", "key", "value", "decay", "gate", "output")}
        q, k, v = (heads(x @ W[p].T, H) for p in ("query", "key", "value"))
        q, k, a = turned(q), turned(k) / np.sqrt(K), sigmoid(x @ W["decay"].T) ** (1 / 16)
        S, o = np.zeros((B, H, K, K)), np.zeros((B, H, T, K))
        for t in range(T):
            S = a[:, t, :, None, None] * S + k[:, :, t, :, None] * v[:, :, t, None, :]
            o[:, :, t] = (q[:, :, t, None, :] @ S)[:, :, 0]
        gate = x @ W["gate"].T
        return case.output((gate * sigmoid(gate) * joined(rms(o))) @ W["output"].T)
    if layers == 0:
        h = rms(x) * case.parameter("norm.weight", (D,), 0.2, 1)
        k, v = (heads(h @ case.parameter(p + "_proj.weight", (D, D)).T, H) for p in ("k", "v"))
        k = turned(k)
    else:
        k, v = (heads(y, H) for y in np.split(case.input("first", (B, T, 2 * D)), 2, -1))
    q = turned(heads(x @ case.parameter("q_proj.weight", (D, D)).T, H))
    y = np.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                y[b, h, t] = read(q[b, h, t], k[b, h, :t + 1], v[b, h, :t + 1])
    return case.output(joined(y) @ case.parameter("out_proj.weight", (D, D)).T)


def block_recurrent():
    """K7: words read the W words before them and the states of earlier blocks; after a block the states read its words and those of the block before."""
    W, M, D, H, K, T = 2, 2, 4, 2, 2, 7
    case = PlainCase(__file__, "mixer", f"block_recurrent:window={W},states={M}")
    x = case.input("x", (1, T, D))[0]
    P = {p: case.parameter(p + ".weight", (D, 2 * D if "out" in p else D)) for p in (
        "q_proj", "k_proj", "v_proj", "cross_proj", "out_proj", "state_q_proj", "state_k_proj", "state_v_proj",
        "state_cross_proj", "state_out_proj")}
    scales, gain = case.parameter("scales", (4, H), 0.3, 2), case.parameter("state_norm", (D,), 0.2, 1)
    S, ids = case.parameter("first_states", (M, D), 1), case.parameter("ids", (M, D), 1)
    g = sigmoid(case.parameter("gate", (D,), 1))

    def by_heads(y, p):
        return (y @ P[p].T).reshape(len(y), H, K)

    def reading(q, k, v, which):
        if len(k) == 0:
            return np.zeros(D)
        return np.concatenate([softmax(scales[which, h] * (unit(k[:, h]) @ unit(q[h]))) @ v[:, h] for h in range(H)])

    q, crossing, k, v = (by_heads(x, p) for p in ("q_proj", "cross_proj", "k_proj", "v_proj"))
    y = np.zeros((T, D))
    for t in range(T):
        n = rms(S, 1e-6) * gain + ids
        nk, nv = by_heads(n, "state_k_proj"), by_heads(n, "state_v_proj")
        before = slice(max(0, t - W), t)
        y[t] = np.concatenate([reading(q[t], k[before], v[before], 0), reading(crossing[t], nk, nv, 1)]) @ P["out_proj"].T
        if (t + 1) % W == 0:
            two = slice(max(0, t + 1 - 2 * W), t + 1)
            p, p_words = by_heads(n, "state_q_proj"), by_heads(n, "state_cross_proj")
            both = np.stack([np.concatenate([reading(p[m], nk, nv, 2), reading(p_words[m], k[two], v[two], 3)]) for m in range(M)])
            S = g * S + (1 - g) * (both @ P["state_out_proj"].T)
    return case.output(y[None])


def global_local(name, H, D, shared, apart):
    """K10: words read a window and all global words, global words read all (or their block), in one softmax each."""
    B, T, r, l, R = (2, 5, 1, 2, 1) if shared else (1, 5, 1, 2, 2)
    J, K = -(-T // l), D // H
    stage = f"global_local:radius={r},block={l},max_distance={R},shared={int(shared)},apart={int(apart)}"
    case = PlainCase(__file__, "mixer", stage, name=name, causal=False, heads=H)
    x = case.input("x", (B, T, D))
    if shared:
        padding = case.add("input.padding", np.array([[0] * T, [0] * (T - 2) + [1] * 2]))
        x = case.arrays["input.x"] = x * (padding == 0)[:, :, None]
    else:
        padding = np.zeros((B, T), int)
    W, b = {}, {}
    for kind in ["all"] if shared else ["l2l", "l2g", "g2g", "g2l"]:  # one query for each side
        n = 2 if kind in ("l2g", "g2l") else 3
        W[kind], b[kind] = case.parameter(kind + ".weight", (n * D, D)), case.parameter(kind + ".bias", (n * D,), 0.5)
    Wo = {kind: (case.parameter(kind + "_out.weight", (D, D)), case.parameter(kind + "_out.bias", (D,), 0.5))
          for kind in ("long", "global")}
    table, constant = {}, {}
    for kind in ("distances", "of_global", "global_distances", "of_long"):
        n = 2 if "of" in kind else 2 * R + 1
        table[kind], constant[kind] = case.parameter(kind, (n, H, K), 1), case.parameter(kind + "_bias", (n, H), 1)
    gain, shift = case.parameter("norm.weight", (D,), 0.2, 1), case.parameter("norm.bias", (D,), 0.2)
    if shared:  # the first layer makes them
        g = np.zeros((B, J, D))
        for i in range(B):
            for j in range(J):
                block = [s for s in range(j * l, min(T, j * l + l)) if padding[i, s] == 0]
                g[i, j] = x[i, block].mean(0) if block else 0
    else:
        g = case.input("first", (B, J, D))

    def part(y, kind, i, h):
        if kind in ("l2g", "g2l") and not shared:
            kind, i = (kind[0] + "2" + kind[0], 0) if i == 0 else (kind, i - 1)
        kind = "all" if shared else kind
        return y @ W[kind][i * D + h * K:i * D + (h + 1) * K].T + b[kind][i * D + h * K:i * D + (h + 1) * K]

    y, more = np.zeros((B, T, D)), np.zeros((B, J, D))
    clip = lambda d: int(np.clip(d, -R, R)) + R
    for i in range(B):
        words = [s for s in range(T) if padding[i, s] == 0]
        blocks = [j for j in range(J) if any(s // l == j for s in words)]
        for h in range(H):
            def one(reader, columns):
                """columns: (kind, vector, table and row of its label)"""
                scores = [(part(reader, kind, 0, h) @ (part(v, kind, 1, h) + table[of][label, h]) + constant[of][label, h])
                          / np.sqrt(K) for kind, v, of, label in columns]
                return softmax(np.array(scores)) @ np.stack([part(v, kind, 2, h) for kind, v, *_ in columns])
            for t in range(T):
                y[i, t, h * K:(h + 1) * K] = one(x[i, t], [
                    *(("l2l", x[i, s], "distances", clip(s - t)) for s in words if abs(s - t) <= r),
                    *(("l2g", g[i, j], "of_global", int(t // l == j)) for j in blocks)])
            for j in blocks:
                more[i, j, h * K:(h + 1) * K] = one(g[i, j], [
                    *(("g2g", g[i, k], "global_distances", clip(k - j)) for k in blocks),
                    *(("g2l", x[i, s], "of_long", int(s // l == j)) for s in words if s // l == j or not apart)])
    g = g + more @ Wo["global"][0].T + Wo["global"][1]
    g = layer_norm(g) * gain + shift
    if not shared:
        case.output(g, "passed")
    return case.output((y @ Wo["long"][0].T + Wo["long"][1]) * (padding == 0)[:, :, None])


def multi_head(case, x, H, G):
    """q [H, T, K], k, v of the H heads, and the output projection of one sentence x [T, D]."""
    T, D = x.shape
    K = D // H
    W = case.parameter("in_proj_weight", (D + 2 * G * K, D))
    b = case.parameter("in_proj_bias", (D + 2 * G * K,), 0.5)
    Wo, bo = case.parameter("out_proj.weight", (D, D)), case.parameter("out_proj.bias", (D,), 0.5)
    q, k, v = np.split(x @ W.T + b, [D, D + G * K], -1)
    q, k, v = (y.reshape(T, -1, K).transpose(1, 0, 2) for y in (q, k, v))
    return q, np.repeat(k, H // G, 0), np.repeat(v, H // G, 0), lambda c: joined(c[None]) @ Wo.T + bo


def quest():
    """K13: a query reads the pages with the largest bounds, a page's being the sum of the largest products."""
    P, n, H, G, D, T = 2, 3, 2, 1, 4, 11
    case = PlainCase(__file__, "scope", f"quest:block={P},blocks={n}", kv_heads=G)
    x = case.input("x", (1, T, D))
    q, k, v, output = multi_head(case, x[0], H, G)
    y = np.zeros_like(q)
    for h in range(H):
        for t in range(T):
            bounds = []
            for page in range(t // P + 1):
                words = k[h, page * P:min(t + 1, page * P + P)]
                bounds.append(np.maximum(q[h, t] * words.max(0), q[h, t] * words.min(0)).sum())
            chosen = sorted(range(len(bounds)), key=lambda page: -bounds[page])[:n]
            seen = [s for s in range(t + 1) if s // P in chosen]
            y[h, t] = read(q[h, t], k[h, seen], v[h, seen])
    return case.output(output(y))


def hyper_attention():
    """K16 without a sample: queries and keys in the order of their hashes, in parts."""
    b, p, H, D, T = 2, 4, 2, 4, 6
    case = PlainCase(__file__, "evaluator", f"hyper_attention:block={b},samples=0,exact=0,projections={p}", causal=False, kv_heads=H)
    x = case.input("x", (1, T, D))
    directions = case.input("directions", (p, D // H))
    q, k, v, output = multi_head(case, x[0], H, H)

    def hashed(y):
        number = sum(int(y @ directions[i] > 0) << i for i in range(p))
        return number ^ number >> 1

    y = np.zeros_like(q)
    for h in range(H):
        queries = sorted(range(T), key=lambda t: hashed(q[h, t]))
        keys = sorted(range(T), key=lambda s: hashed(k[h, s]))
        for i, t in enumerate(queries):
            part = keys[i // b * b:i // b * b + b]
            y[h, t] = read(q[h, t], k[h, part], v[h, part])
    return case.output(output(y))


def snapkv():
    """K12: two words after a prompt of which each head keeps what its last words read."""
    c, w, pooled, H, G, D, T, more = 4, 2, 3, 2, 1, 4, 7, 2
    case = PlainCase(__file__, "evaluator", f"snapkv:capacity={c},window={w},pooled={pooled}", kv_heads=G, prompt=T)
    x = case.input("x", (1, T + more, D))
    q, k, v, output = multi_head(case, x[0], H, G)
    y = np.zeros_like(q)
    for h in range(H):
        votes = np.zeros(T - w)
        for t in range(T):
            y[h, t] = read(q[h, t], k[h, :t + 1], v[h, :t + 1])
            if t >= T - w:
                votes += softmax(k[h, :t + 1] @ q[h, t] / np.sqrt(D // H))[:T - w]
        p = pooled // 2
        mean = [sum(votes[max(0, s - p):s + p + 1]) / pooled for s in range(T - w)]
        kept = sorted(sorted(range(T - w), key=lambda s: -mean[s])[:c - w]) + list(range(T - w, T))
        for t in range(T, T + more):
            kept.append(t)
            y[h, t] = read(q[h, t], k[h, kept], v[h, kept])
    return case.output(output(y))


def cases():
    yield native_sparse("native_sparse", 1)
    yield native_sparse("native_sparse_heads", 2)
    yield transient_global()
    yield longnet(True)
    yield longnet(False)
    yield yoco("yoco", 0, 0)
    yield yoco("yoco_lower", 1, 4)
    yield yoco("yoco_upper", 3, 4)
    yield block_recurrent()
    yield global_local("global_local", 2, 4, shared=True, apart=False)
    yield global_local("global_local_apart", 1, 2, shared=False, apart=True)
    yield quest()
    yield hyper_attention()
    yield snapkv()
