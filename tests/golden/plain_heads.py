"""Heads of 2024 and 2025 in plain numpy, one query after the other: latent attention with norms (L12), tensor products (L2),
factorised heads (L3), interleaved layers without positions (L6)."""
import numpy

from plain_case import PlainCase, rms, softmax

B, T, D, H = 1, 5, 4, 2
K = D // H


def turned(x, place, base=10000.0):
    """Neighbours (x_2i, x_2i+1) as complex numbers, by the angle place base^(-2i / width)."""
    n = len(x)
    z = x.reshape(-1, 2)
    z = (z[:, 0] + 1j * z[:, 1]) * numpy.exp(1j * place * base ** (-2 * numpy.arange(n // 2) / n))
    return numpy.stack([z.real, z.imag], -1).reshape(n)


def turned_halves(x, place, base=10000.0):
    order = numpy.arange(len(x)).reshape(2, -1).T.reshape(-1)  # x_i, x_(i + n/2) side by side
    y = numpy.empty_like(x)
    y[order] = turned(x[order], place, base)
    return y


def attend(query, keys, values):
    return softmax(numpy.array([query @ k for k in keys])) @ numpy.array(values)


def latent_exact():
    r, c, R = 3, 3, 2
    case = PlainCase(__file__, "mixer", f"latent_exact:rank={r},query_rank={c},rope={R}")
    x = case.input("x", (B, T, D))
    down = case.parameter("kv_down.weight", (r + R, D))
    norm = case.parameter("kv_norm.weight", (r,), 0.3, 1.0)
    up_k, up_v = case.parameter("up_keys", (r, D), 0.6), case.parameter("up_values", (r, D), 0.6)
    q_down, q_norm = case.parameter("q_down.weight", (c, D)), case.parameter("q_norm.weight", (c,), 0.3, 1.0)
    q_up, out = case.parameter("q_up.weight", (H * (K + R), c)), case.parameter("out_proj.weight", (D, D))
    y = numpy.zeros((B, T, D))
    for b in range(B):
        kept = []  # the cache: the normed row and the rotated key
        for t in range(T):
            both = down @ x[b, t]
            kept.append((rms(both[:r], 1e-6) * norm, turned(both[r:], t)))
            q = (q_up @ (rms(q_down @ x[b, t], 1e-6) * q_norm)).reshape(H, K + R)
            heads = []
            for h in range(H):
                of_head = slice(h * K, (h + 1) * K)
                query = numpy.concatenate([q[h, :K], turned(q[h, K:], t)]) / numpy.sqrt(K + R)
                keys = [numpy.concatenate([row @ up_k[:, of_head], key]) for row, key in kept]
                heads.append(attend(query, keys, [row @ up_v[:, of_head] for row, _ in kept]))
            y[b, t] = out @ numpy.concatenate(heads)
    return case.output(y)


def tensor_product():
    Rq, Rk, Rv = 3, 2, 1
    case = PlainCase(__file__, "mixer", f"tensor_product:query_rank={Rq},key_rank={Rk},value_rank={Rv}")
    x = case.input("x", (B, T, D))
    factors = {}
    for name, rank in (("query", Rq), ("key", Rk), ("value", Rv)):
        factors[name] = (case.parameter(name + "_heads.weight", (H * rank, D)),
                         case.parameter(name + "_features.weight", (rank * K, D)), rank)
    out = case.parameter("output.weight", (D, D))

    def product(name, word, place):
        of_heads, of_features, rank = factors[name]
        a, f = (of_heads @ word).reshape(H, rank), (of_features @ word).reshape(rank, K)
        total = numpy.zeros((H, K))
        for i in range(rank):
            total += numpy.outer(a[:, i], f[i] if place is None else turned_halves(f[i], place))
        return total / rank

    y = numpy.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            q = product("query", x[b, t], t)
            keys = [product("key", x[b, s], s) for s in range(t + 1)]
            values = [product("value", x[b, s], None) for s in range(t + 1)]
            y[b, t] = out @ numpy.concatenate(
                [attend(q[h] / numpy.sqrt(K), [k[h] for k in keys], [v[h] for v in values]) for h in range(H)])
    return case.output(y)


def factorised(reuse):
    C = 3
    case = PlainCase(__file__, "mixer", f"factorised:width={C}" + (",reuse=1" if reuse else ""),
                     "factorised" + ("_reuse" if reuse else ""))
    x = case.input("x", (B, T, D))
    down, norm = case.parameter("query_down.weight", (C, D)), case.parameter("query_norm.weight", (C,), 0.3, 1.0)
    Q, S_k = case.parameter("query_up.weight", (H * C, C)), case.parameter("key.weight", (C, D))
    if reuse:
        N, share = case.parameter("reused.weight", (C, C)), case.parameter("share", (C,), 0.5)
        value = lambda word: S_k @ word + share * (N @ (S_k @ word))
    else:
        S_v = case.parameter("value.weight", (C, D))
        value = lambda word: S_v @ word
    out = case.parameter("output.weight", (D, H * C))
    y = numpy.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            narrow = rms(down @ x[b, t]) * norm
            for n in range(H):
                part = slice(n * C, (n + 1) * C)
                c = attend(Q[part] @ narrow / numpy.sqrt(C), [S_k @ x[b, s] for s in range(t + 1)],
                           [value(x[b, s]) for s in range(t + 1)])
                y[b, t] += out[:, part] @ c
    return case.output(y)


def interleaved_nope(layer, every=4):
    chunk, floor = 3, 2
    positions = (layer + 1) % every != 0
    case = PlainCase(__file__, "mixer", f"interleaved_nope:every={every},chunk={chunk},floor={floor}",
                     f"interleaved_nope_{layer}", layer=layer, layers=8)
    x = case.input("x", (B, T, D))
    W = {name: case.parameter(name + ".weight", (D, D)) for name in ("query", "key", "value", "output")}
    place = (lambda z, t: rms(turned(z, t, 500000.0))) if positions else (lambda z, t: z)
    y = numpy.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            grown = 1.0 if positions else 1 + 0.1 * numpy.log(1 + numpy.floor((t + 1) / floor))
            seen = [s for s in range(t + 1) if not positions or s // chunk == t // chunk]
            heads = []
            for h in range(H):
                part = slice(h * K, (h + 1) * K)
                q = place(W["query"][part] @ x[b, t], t) * grown / numpy.sqrt(K)
                heads.append(attend(q, [place(W["key"][part] @ x[b, s], s) for s in seen],
                                    [W["value"][part] @ x[b, s] for s in seen]))
            y[b, t] = W["output"] @ numpy.concatenate(heads)
    return case.output(y)


def cases():
    yield latent_exact()
    yield tensor_product()
    yield factorised(False)
    yield factorised(True)
    yield interleaved_nope(0)
    yield interleaved_nope(3)
