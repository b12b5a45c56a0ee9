"""Memories that learn while they read (PaTH, Mesa, TTT, Titans, Infini-attention), and attention that chooses what it reads
(MoBA, landmarks, the lightning indexer, selective RoPE, vector-quantised keys), word after word."""
import numpy

from plain_case import PlainCase, heads, joined, layer_norm, rms, short_convolution, sigmoid, silu, softmax, softplus, unit

B, T, D, H = 2, 5, 4, 2
K = D // H


def projected(case, B=B, T=T):
    """x, and q, k, v [B, H, T, K] of multi-head attention"""
    x = case.input("x", (B, T, D))
    W, b = case.parameter("in_proj_weight", (3 * D, D)), case.parameter("in_proj_bias", (3 * D,), 0.2)
    qkv = x @ W.T + b
    return x, *(heads(qkv[..., i * D:(i + 1) * D], H) for i in range(3))


def finished(case, context):
    W, b = case.parameter("out_proj.weight", (D, D)), case.parameter("out_proj.bias", (D,), 0.2)
    return case.output(joined(context) @ W.T + b)


def read(e, v, allowed):
    """softmax(e where allowed) v for one query; e [S], v [S, K], allowed: a list of places"""
    return softmax(e[allowed]) @ v[allowed]


def each(*shape):
    return numpy.ndindex(*shape)


def moba():
    case, C, n = PlainCase(__file__, "mixer", "moba:block=2,selected=2"), 2, 2
    x, q, k, v = projected(case, T=7)
    context = numpy.zeros_like(v)
    for b, h, t in each(B, H, 7):
        own = t // C
        gate = {j: q[b, h, t] @ k[b, h, j * C:(j + 1) * C].mean(0) for j in range(own)}  # blocks that have ended
        best = sorted(gate, key=lambda j: (-gate[j], j))[:n - 1] + [own]
        allowed = [s for s in range(t + 1) if s // C in best]
        context[b, h, t] = read(k[b, h] @ q[b, h, t] / numpy.sqrt(K), v[b, h], allowed)
    return finished(case, context)


def path():
    case = PlainCase(__file__, "mixer", "path:rank=2")
    x, q, k, v = projected(case)
    down, up = case.parameter("w_down.weight", (2, D)), case.parameter("w_up.weight", (D, 2))
    taps = case.parameter("convolution.weight", (3, D))
    W, c = case.parameter("strength.weight", (H, D)), case.parameter("strength.bias", (H,), 0.3)
    w = unit(heads(short_convolution(x @ down.T @ up.T, taps, 0), H))
    strength = 2 * sigmoid(x @ W.T + c)  # [B, T, H]
    context = numpy.zeros_like(v)
    for b, h, t in each(B, H, T):
        e = numpy.zeros(T)
        for s in range(t + 1):
            row = q[b, h, t]
            for r in range(t, s, -1):  # H_t first, H_(s + 1) last
                row = row @ (numpy.eye(K) - strength[b, r, h] * numpy.outer(w[b, h, r], w[b, h, r]))
            e[s] = row @ k[b, h, s] / numpy.sqrt(K)
        context[b, h, t] = read(e, v[b, h], list(range(t + 1)))
    return finished(case, context)


def mesa():
    case = PlainCase(__file__, "mixer", "mesa:taps=2,chunk=3")
    x = case.input("x", (B, T, D))
    q, k, v = numpy.split(x @ case.parameter("projection.weight", (3 * D, D)).T, 3, -1)
    taps = case.parameter("convolution.weight", (2, 2 * D))
    gates = [case.parameter(name + ".weight", (H, D)) for name in ("decay", "strength")]
    biases = [case.parameter(name + ".bias", (H,), 0.5) for name in ("decay", "strength")]
    ridge = softplus(case.parameter("ridge", (D,), 0.5)).reshape(H, K) + 0.25
    a, s = (sigmoid(x @ W.T + c) for W, c in zip(gates, biases))
    q, k = (unit(heads(short_convolution(y, taps[:, i * D:(i + 1) * D], 0), H)) for i, y in enumerate((q, k)))
    v = heads(v, H)
    o = numpy.zeros_like(v)
    for b, h in each(B, H):
        keys, values = numpy.zeros((K, K)), numpy.zeros((K, K))
        for t in range(T):
            kt, vt = k[b, h, t], v[b, h, t]
            keys = a[b, t, h] * keys + s[b, t, h] * numpy.outer(kt, kt)
            values = a[b, t, h] * values + s[b, t, h] * numpy.outer(kt, vt)
            o[b, h, t] = q[b, h, t] @ numpy.linalg.solve(keys + numpy.diag(ridge[h]), values)
    return case.output(joined(rms(o) * case.parameter("norm", (K,), 1, 1)) @ case.parameter("output.weight", (D, D)).T)


def landmark():
    case, C, T = PlainCase(__file__, "mixer", "landmark:block=2"), 2, 5
    x, q, k, v = projected(case, T=T)
    l = case.parameter("landmark", (D,), 0.5)
    W, c = case.arrays["param.in_proj_weight"], case.arrays["param.in_proj_bias"]
    Wo, co = case.parameter("out_proj.weight", (D, D)), case.parameter("out_proj.bias", (D,), 0.2)
    ql = (W[:D] @ l + c[:D]).reshape(H, K)
    context = numpy.zeros_like(v)
    for b in range(B):
        keys = []  # of the landmark of each block that has ended, [H, K]: it has read its block
        for j in range(T // C):
            block = list(range(j * C, j * C + C))
            seen = [read(k[b, h] @ ql[h] / numpy.sqrt(K), v[b, h], block) for h in range(H)]
            keys.append((W[D:2 * D] @ (l + Wo @ numpy.concatenate(seen) + co) + c[D:2 * D]).reshape(H, K))
        for h, t in each(H, T):
            own = list(range(t // C * C, t + 1))
            e = k[b, h] @ q[b, h, t] / numpy.sqrt(K)
            marks = [keys[j][h] @ q[b, h, t] / numpy.sqrt(K) for j in range(t // C)]
            p = softmax(numpy.array(list(e[own]) + marks))
            context[b, h, t] = p[:len(own)] @ v[b, h, own]
            for j in range(t // C):
                context[b, h, t] += p[len(own) + j] * read(e, v[b, h], list(range(j * C, j * C + C)))
    return case.output(joined(context) @ Wo.T + co)


def square(case, *names):
    return [case.parameter(name + ".weight", (D, D)) for name in names]


def infini(delta):
    name = "infini" if delta else "infini_linear"
    case, C, T = PlainCase(__file__, "mixer", f"infini:segment=2,delta={int(delta)}", name=name), 2, 7
    x = case.input("x", (B, T, D))
    q, k, v = (heads(x @ W.T, H) for W in square(case, "query", "key", "value"))
    g = sigmoid(case.parameter("gate", (H,), 0.5))
    f = lambda y: numpy.where(y > 0, y + 1, numpy.exp(numpy.minimum(y, 0)))
    o = numpy.zeros_like(v)
    for b, h in each(B, H):
        M, z = numpy.zeros((K, K)), numpy.zeros(K)
        for first in range(0, T, C):
            segment = range(first, min(first + C, T))
            for t in segment:
                local = read(k[b, h] @ q[b, h, t] / numpy.sqrt(K), v[b, h], list(range(first, t + 1)))
                memory = f(q[b, h, t]) @ M / (f(q[b, h, t]) @ z) if first else 0
                o[b, h, t] = g[h] * memory + (1 - g[h]) * local
            old = M.copy(), z.copy()
            for s in segment:
                fk = f(k[b, h, s])
                known = fk @ old[0] / (fk @ old[1]) if delta and first else 0
                M, z = M + numpy.outer(fk, v[b, h, s] - known), z + fk
    return case.output(joined(o) @ square(case, "output")[0].T)


def turned(x, place, K, base=10000.0):
    """pairs of neighbours of x [K], turned by place base^(-2i/K)"""
    y = x.copy()
    for i in range(K // 2):
        a = place * base ** (-2 * i / K)
        y[2 * i] = x[2 * i] * numpy.cos(a) - x[2 * i + 1] * numpy.sin(a)
        y[2 * i + 1] = x[2 * i] * numpy.sin(a) + x[2 * i + 1] * numpy.cos(a)
    return y


def ttt_linear():
    case, C, T, K = PlainCase(__file__, "mixer", "ttt_linear:batch=2", heads=1), 2, 5, D
    x = case.input("x", (B, T, D))
    q, k, v = (x @ W.T for W in square(case, "query", "key", "value"))  # one head
    rate, c0 = case.parameter("rate.weight", (1, D)), case.parameter("rate.bias", (1,))
    share = case.parameter("share", (C,), 0.1)
    W0, b0 = case.parameter("weight", (1, K, K))[0], case.parameter("bias", (1, K), 0.3)[0]
    gamma, beta = case.parameter("norm_weight", (1, K), 0.2, 1)[0], case.parameter("norm_bias", (1, K), 0.2)[0]
    o = numpy.zeros_like(v)
    loss = lambda z, target: ((gamma * layer_norm(z, 1e-6) + beta - target) ** 2).sum() / 2
    for b in range(B):
        W, c, step = W0, b0, 0
        for t in range(T):
            place = t % C
            if place == 0:
                first, sums = (W, c), [numpy.zeros((K, K)), numpy.zeros(K)]
            qt, kt = turned(q[b, t], place, K), turned(k[b, t], place, K)
            z, target = kt @ first[0] + first[1], v[b, t] - kt
            # The gradient of the loss at z, by the formula for layer norm.
            hat = layer_norm(z, 1e-6)
            u = gamma * (gamma * hat + beta - target)
            g = (u - u.mean() - hat * (u * hat).mean()) / numpy.sqrt(z.var() + 1e-6)
            for i in range(K):
                bump = numpy.eye(K)[i] * 1e-5
                assert abs((loss(z + bump, target) - loss(z - bump, target)) / 2e-5 - g[i]) < 1e-6
            lr = sigmoid(rate[0] @ x[b, t] + c0[0]) / K
            sums = [sums[0] + lr * numpy.outer(kt, g), sums[1] + lr * g]
            mine = max(1 / (place + 1) + share[place], 0)  # of the reader
            W, c = first[0] - mine * sums[0], first[1] - mine * sums[1]
            o[b, t] = qt + gamma * layer_norm(qt @ W + c, 1e-6) + beta
    y = case.parameter("post_norm.weight", (D,), 0.2, 1) * layer_norm(o, 1e-6) + case.parameter("post_norm.bias", (D,), 0.2)
    return case.output(y @ square(case, "output")[0].T)


def neural_memory(chunk):
    case = PlainCase(__file__, "mixer", f"neural_memory:chunk={chunk}", name=f"neural_memory_{chunk}", heads=1)
    K = D
    x = case.input("x", (B, T, D))
    q, k, v = (silu(x @ W.T) for W in square(case, "query", "key", "value"))
    q, k = unit(q), unit(k)
    gate = {name: sigmoid(x @ case.parameter(name + ".weight", (1, D)).T + case.parameter(name + ".bias", (1,), 0.5))
            for name in ("forget", "momentum", "rate")}  # [B, T, 1]
    M0 = case.parameter("memory", (1, K, K))[0]
    o = numpy.zeros_like(v)
    for b in range(B):
        M, S = M0, numpy.zeros((K, K))
        for t in range(T):
            if t % chunk == 0:
                first = M
            gradient = 2 * numpy.outer(k[b, t], k[b, t] @ first - v[b, t])
            S = gate["momentum"][b, t] * S - gate["rate"][b, t] * gradient
            M = (1 - gate["forget"][b, t]) * M + S
            o[b, t] = q[b, t] @ M
    Wg, Wo = square(case, "gate", "output")
    return case.output((rms(o) * sigmoid(x @ Wg.T)) @ Wo.T)


def selective_rope(gated):
    name = "selective_rope_gated" if gated else "selective_rope"
    case = PlainCase(__file__, "mixer", f"selective_rope:rank=2,gate={int(gated)}", name=name, heads=1)
    K, half = D, D // 2
    x = case.input("x", (B, T, D))
    W, c = case.parameter("in_proj_weight", (3 * D, D)), case.parameter("in_proj_bias", (3 * D,), 0.2)
    q, k, v = numpy.split(x @ W.T + c, 3, -1)
    down, up = case.parameter("w_down.weight", (2, D)), case.parameter("w_up.weight", (half, 2), 2.0)
    taps = case.parameter("convolution.weight", (4, half))
    w = unit(x) @ down.T @ up.T
    conv = numpy.array([[sum(taps[j] * w[b, t - j] for j in range(min(4, t + 1))) for t in range(T)] for b in range(B)])
    if gated:
        conv = conv * sigmoid(unit(x) @ case.parameter("gate.weight", (1, D)).T + case.parameter("gate.bias", (1,)))
    slow = 500000.0 ** (-numpy.arange(half) * 2 / K)
    angle = numpy.cumsum(conv, 1) * slow  # [B, T, K/2]

    def rotated(y):
        a, b = y[..., :half], y[..., half:]
        return numpy.concatenate([a * numpy.cos(angle) - b * numpy.sin(angle), a * numpy.sin(angle) + b * numpy.cos(angle)], -1)

    q, k, context = rotated(q), rotated(k), numpy.zeros_like(v)
    for b, t in each(B, T):
        context[b, t] = read(k[b] @ q[b, t] / numpy.sqrt(K), v[b], list(range(t + 1)))
    Wo, co = case.parameter("out_proj.weight", (D, D)), case.parameter("out_proj.bias", (D,), 0.2)
    return case.output(context @ Wo.T + co)


def lightning_index():
    case, I, n, top = PlainCase(__file__, "mixer", "lightning_index:index_heads=2,features=4,pairs=1,selected=2"), 2, 4, 2
    x, q, k, v = projected(case)
    iq = (x @ case.parameter("index_query.weight", (I * n, D)).T).reshape(B, T, I, n)
    ik = layer_norm(x @ case.parameter("index_key.weight", (n, D)).T, 1e-6)
    ik = ik * case.parameter("key_norm.weight", (n,), 0.2, 1) + case.parameter("key_norm.bias", (n,), 0.2)
    w = x @ case.parameter("index_weight.weight", (I, D)).T / numpy.sqrt(n * I)

    def first_turned(y, t):  # the first two features are one pair, whose angle is t
        return numpy.concatenate([[y[0] * numpy.cos(t) - y[1] * numpy.sin(t), y[0] * numpy.sin(t) + y[1] * numpy.cos(t)], y[2:]])

    context = numpy.zeros_like(v)
    for b, t in each(B, T):
        score = [sum(w[b, t, i] * max(first_turned(iq[b, t, i], t) @ first_turned(ik[b, s], s), 0) for i in range(I))
                 for s in range(t + 1)]
        best = sorted(range(t + 1), key=lambda s: (-score[s], s))[:top]
        for h in range(H):
            context[b, h, t] = read(k[b, h] @ q[b, h, t] / numpy.sqrt(K), v[b, h], best)
    return finished(case, context)


def vq_attention():
    case, C, S, T = PlainCase(__file__, "mixer", "vq_attention:block=2,codes=3"), 2, 3, 7
    x = case.input("x", (1, T, D))
    q, k, v, g = (x @ W.T for W in square(case, "query", "key", "value", "gate"))
    q, k = (rms(heads(y, H), 1e-6) * K ** -0.25 for y in (q, k))
    v, g = heads(silu(v), H), silu(g)
    u, p = (case.parameter(name, (H, K), 0.5) * K ** -0.25 for name in ("content_bias", "position_bias"))
    R = square(case, "positions")[0]
    code = case.parameter("code_sum", (H, S, K), 1.0) / case.add("param.code_count", numpy.full((H, S), 1.25))[..., None]

    def r(distance):
        a = distance / 100000.0 ** (numpy.arange(0, D, 2) / D)
        return (R @ numpy.concatenate([numpy.sin(a), numpy.cos(a)])).reshape(H, K) * K ** -0.25

    o = numpy.zeros_like(v)
    for h in range(H):
        z = [((k[0, h, s] - code[h]) ** 2).sum(-1).argmin() for s in range(T)]
        for t in range(T):
            e, values = [], []
            old = range(max(t // C - 1, 0) * C)
            for c in range(S):
                members = [s for s in old if z[s] == c]
                if members:
                    e.append((q[0, h, t] + u[h]) @ code[h, c] + numpy.log(len(members)))
                    values.append(v[0, h, members].mean(0))
            for s in range(len(old), t + 1):
                near = (q[0, h, t] + p[h]) @ r(t - s)[h] if t - s <= C else 0
                e.append((q[0, h, t] + u[h]) @ code[h, z[s]] + near)
                values.append(v[0, h, s])
            o[0, h, t] = softmax(numpy.array(e)) @ numpy.array(values)
    return case.output((joined(o) * g) @ square(case, "output")[0].T)


def cases():
    yield moba()
    yield path()
    yield mesa()
    yield landmark()
    yield infini(True)
    yield infini(False)
    yield ttt_linear()
    yield neural_memory(1)
    yield neural_memory(3)
    yield selective_rope(False)
    yield selective_rope(True)
    yield lightning_index()
    yield vq_attention()
