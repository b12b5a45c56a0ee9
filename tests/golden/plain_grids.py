"""Mixers of pictures (nn/attention/grids), from their papers, place after place. A picture has R rows and C columns, R != C, which no window divides."""
import numpy

from plain_case import PlainCase, heads, joined, layer_norm, sigmoid, softmax

B, R, C, D, H, K = 1, 3, 4, 4, 2, 2
PLACES = [(r, c) for r in range(R) for c in range(C)]


def case_of(stage, name=None, **options):
    text = f"{stage.split(':')[0]}:columns={C}" + ("," + stage.split(":")[1] if ":" in stage else "")
    case = PlainCase(__file__, "mixer", text, name, causal=False, **options)
    return case, case.input("x", (B, R * C, D))


def projected(case, x, name, out, bias=True):
    y = x @ case.parameter(name + ".weight", (out, x.shape[-1])).T
    return y + case.parameter(name + ".bias", (out,)) if bias else y


def normed(case, y, name, positive=True):
    """Batch norm in evaluation."""
    n = y.shape[-1]
    weight, bias = case.parameter(name + ".weight", (n,), 0.3, 1), case.parameter(name + ".bias", (n,), 0.3)
    mean = case.parameter(name + ".running_mean", (n,), 0.3)
    variance = case.add("param." + name + ".running_var", abs(case.normal((n,), 0.3, 1)) + 0.1)
    return (y - mean) / numpy.sqrt(variance + 1e-5) * weight + bias


def picture(x):
    return x.reshape(x.shape[0], R, C, -1)


def flat(x):
    return x.reshape(x.shape[0], R * C, -1)


def projections(case, x):
    return [heads(y, H) for y in numpy.split(projected(case, x, "in_proj", 3 * D), 3, axis=-1)]


def attention(q, k, v, score):
    """score(head, (r, c), (r', c')): what is added to q.k/sqrt(K), or None where t may not read s. q [B, H, T, K]"""
    y = numpy.zeros_like(v)
    for b in range(B):
        for h in range(q.shape[1]):
            for t, at in enumerate(PLACES):
                read = [(s, score(h, at, of)) for s, of in enumerate(PLACES) if score(h, at, of) is not None]
                e = numpy.array([q[b, h, t] @ k[b, h, s] / numpy.sqrt(q.shape[-1]) + more for s, more in read])
                w = softmax(e)
                y[b, h, t] = sum(w[i] * v[b, h, s] for i, (s, _) in enumerate(read))
    return y


def shifted_window(layer):
    """Rolled by M/2, as the paper's program does it, with -inf for pairs of different regions."""
    M = 2
    case, x = case_of("shifted_window:window=2", f"shifted_window_{layer}", layer=layer, layers=2)
    q, k, v = projections(case, x)
    table = case.parameter("table", ((2 * M - 1) ** 2, H), 0.5)
    shift = M // 2 * layer

    def region(i, length):
        rolled = -(-length // M) * M  # filled up to a multiple of M
        place = (i - shift) % rolled
        last = place // M == rolled // M - 1
        return place // M, last and i < shift

    def score(h, t, s):
        if any(region(a, n) != region(b, n) for a, b, n in zip(t, s, (R, C))):
            return None
        return table[(t[0] - s[0] + M - 1) * (2 * M - 1) + t[1] - s[1] + M - 1, h]

    return case.output(projected(case, joined(attention(q, k, v, score)), "out_proj", D))


def grid():
    G = 2
    case, x = case_of("grid:grid=2")
    q, k, v = projections(case, x)
    table = case.parameter("table", ((2 * G - 1) ** 2, H), 0.5)
    apart = [-(-n // G) for n in (R, C)]

    def score(h, t, s):
        if any((a - b) % d for a, b, d in zip(t, s, apart)):
            return None
        down, right = ((a - b) // d for a, b, d in zip(t, s, apart))
        return table[(down + G - 1) * (2 * G - 1) + right + G - 1, h]

    return case.output(projected(case, joined(attention(q, k, v, score)), "out_proj", D))


def neighbourhood(k_size, dilation, name):
    case, x = case_of(f"neighbourhood:window={k_size},dilation={dilation}", name)
    q, k, v = projections(case, x)

    def near(i, length):
        same = [j for j in range(length) if j % dilation == i % dilation]
        first = min(max(same.index(i) - k_size // 2, 0), max(len(same) - k_size, 0))
        return same[first:first + k_size]

    def score(h, t, s):
        return 0 if all(b in near(a, n) for a, b, n in zip(t, s, (R, C))) else None

    return case.output(projected(case, joined(attention(q, k, v, score)), "out_proj", D))


def deformable():
    P = 2
    case, x = case_of("deformable:points=2")
    offsets = projected(case, x, "offsets", H * P * 2).reshape(B, R * C, H, P, 2)
    weights = softmax(projected(case, x, "weights", H * P).reshape(B, R * C, H, P))
    v = projected(case, x, "value_proj", D).reshape(B, R, C, H, K)
    y = numpy.zeros((B, R * C, H, K))
    for b in range(B):
        for t, (r, c) in enumerate(PLACES):
            for h in range(H):
                for p in range(P):
                    at = numpy.array([(c + .5) / C, (r + .5) / R]) + offsets[b, t, h, p] / numpy.array([C, R])
                    column, row = at * numpy.array([C, R]) - .5
                    for i, j in PLACES:  # tents of width 1 over all places
                        w = max(0, 1 - abs(row - i)) * max(0, 1 - abs(column - j))
                        y[b, t, h] += weights[b, t, h, p] * w * v[b, i, j, h]
    return case.output(projected(case, y.reshape(B, R * C, D), "out_proj", D))


def swin_v2():
    """Of 3 x 4 places the program makes windows of 3 x 3 that do not move, whatever M above 3 is."""
    M = 3
    case, x = case_of("swin_v2:window=5,hidden=3", layer=1, layers=2)
    bias = numpy.concatenate([case.parameter("q_bias", (D,)), numpy.zeros(D), case.parameter("v_bias", (D,))])
    q, k, v = (heads(y, H) for y in numpy.split(projected(case, x, "in_proj", 3 * D, False) + bias, 3, axis=-1))
    q, k = (y / numpy.linalg.norm(y, axis=-1, keepdims=True) for y in (q, k))
    tau = case.parameter("tau", (H, 1, 1), 3.0, 4.0)
    tau[0], tau[1] = 2.0, 5.0  # one of them above ln 100
    case.arrays["param.tau"] = tau
    W1, b1, W2 = case.parameter("hidden.weight", (3, 2)), case.parameter("hidden.bias", (3,)), case.parameter("bias.weight", (H, 3))
    q = q * numpy.exp(numpy.minimum(tau, numpy.log(100))) * numpy.sqrt(K)  # against the root in `attention`

    def score(h, t, s):  # min(R, C) <= M: the program does not shift
        d = []
        for a, b in zip(t, s):
            if a // M != b // M:
                return None
            u = 8 * (a - b) / (M - 1)
            d.append(numpy.sign(u) * numpy.log2(1 + abs(u)) / numpy.log2(8))
        return 16 * sigmoid(W2 @ numpy.maximum(W1 @ numpy.array(d) + b1, 0))[h]

    y = layer_norm(projected(case, joined(attention(q, k, v, score)), "out_proj", D))
    return case.output(y * case.parameter("norm.weight", (D,), 0.3, 1) + case.parameter("norm.bias", (D,)))


def criss_cross():
    case, x = case_of("criss_cross:reduction=2")
    weights = {name: (case.parameter(name + ".weight", (n, D)), case.parameter(name + ".bias", (n,)))
               for name, n in (("query", 2), ("key", 2), ("value", D))}
    gamma = case.parameter("gamma", (1,), 0.1, 0.7)
    for _ in range(2):
        q, k, v = ((x @ W.T + b)[:, None] for W, b in weights.values())
        read = attention(q * numpy.sqrt(2), k, v, lambda h, t, s: 0 if t[0] == s[0] or t[1] == s[1] else None)
        x = x + gamma * read[:, 0]
    return case.output(x)


def non_local(form, pool=0):
    stage = "non_local" + form
    case, x = case_of(stage + (f":pool={pool}" if pool else ""), stage + ("_pool" if pool else ""))
    g = projected(case, x, "g", 2)
    theta, phi = (x, x) if form == "_gaussian" else (projected(case, x, "theta", 2), projected(case, x, "phi", 2))
    if pool:
        def pooled(y):
            p = picture(y)
            rows = [[p[:, i:i + 2, j:j + 2].max((1, 2)) for j in range(0, C - 1, 2)] for i in range(0, R - 1, 2)]
            return numpy.stack([one for row in rows for one in row], 1)
        g, phi = pooled(g), pooled(phi)
    e = theta @ phi.transpose(0, 2, 1)
    if form == "_concat":
        w_f = case.parameter("pair_weight", (4,))
        e = numpy.array([[[max(0, w_f @ numpy.concatenate([t, s])) for s in phi[b]] for t in theta[b]] for b in range(B)])
    w = e / phi.shape[1] if form in ("_dot", "_concat") else softmax(e)
    return case.output(x + normed(case, projected(case, w @ g, "out_proj", D), "norm"))


def global_context():
    case, x = case_of("global_context:reduction=2")
    w = softmax(projected(case, x, "mask", 1), axis=1)  # [B, T, 1]
    c = (w * x).sum(1)
    hidden = layer_norm(projected(case, c, "squeeze", 2))
    hidden = hidden * case.parameter("norm.weight", (2,), 0.3, 1) + case.parameter("norm.bias", (2,))
    return case.output(x + projected(case, numpy.maximum(hidden, 0), "expand", D)[:, None])


def eca():
    case, x = case_of("eca:taps=3")
    f, m = case.parameter("filter", (3,)), x.mean(1)
    e = numpy.array([[sum(f[j] * m[b, c + j - 1] for j in range(3) if 0 <= c + j - 1 < D) for c in range(D)] for b in range(B)])
    return case.output(x * sigmoid(e)[:, None])


def cbam():
    case, x = case_of("cbam:reduction=2,radius=1")
    W1, b1 = case.parameter("squeeze.weight", (2, D)), case.parameter("squeeze.bias", (2,))
    W2, b2 = case.parameter("excite.weight", (D, 2)), case.parameter("excite.bias", (D,))

    def mlp(p):
        return numpy.maximum(p @ W1.T + b1, 0) @ W2.T + b2

    x = picture(x * sigmoid(mlp(x.mean(1)) + mlp(x.max(1)))[:, None])
    two = numpy.stack([x.max(-1), x.mean(-1)], 1)  # [B, 2, R, C]
    f = case.parameter("filter.weight", (1, 2, 3, 3))
    e = numpy.zeros((B, R, C, 1))
    for r, c in PLACES:
        for i, j in PLACES:
            if abs(i - r) <= 1 and abs(j - c) <= 1:
                e[:, r, c, 0] += two[:, :, i, j] @ f[0, :, i - r + 1, j - c + 1]
    return case.output(flat(x * sigmoid(normed(case, e, "norm"))))


def coordinate():
    case, x = case_of("coordinate")
    p = picture(x)
    y = numpy.concatenate([p.mean(2), p.mean(1)], 1)
    y = normed(case, projected(case, y, "shared", 8), "norm")
    y = y * numpy.clip(y + 3, 0, 6) / 6
    rows = sigmoid(projected(case, y[:, :R], "of_rows", D))
    columns = sigmoid(projected(case, y[:, R:], "of_columns", D))
    return case.output(flat(p * rows[:, :, None] * columns[:, None]))


def lambda_layer():
    inner, reach = 3, 1
    case, x = case_of(f"lambda_layer:inner={inner},reach={reach}")
    q = normed(case, projected(case, x, "query", inner * H, False), "query_norm").reshape(B, R * C, H, inner)
    k = softmax(projected(case, x, "key", inner, False), axis=1)
    v = normed(case, projected(case, x, "value", K, False), "value_norm")
    E = case.parameter("positions", (2 * reach + 1, 2 * reach + 1, inner))
    y = numpy.zeros((B, R * C, H, K))
    for b in range(B):
        for t, (r, c) in enumerate(PLACES):
            matrix = sum(numpy.outer(k[b, s], v[b, s]) for s in range(R * C))
            for s, (i, j) in enumerate(PLACES):
                if abs(i - r) <= reach and abs(j - c) <= reach:
                    matrix = matrix + numpy.outer(E[i - r + reach, j - c + reach], v[b, s])
            y[b, t] = q[b, t] @ matrix
    return case.output(y.reshape(B, R * C, D))


def cross_stripes():
    wide = 3
    case, x = case_of(f"cross_stripes:stripe={wide}")
    q, k, v = projections(case, x)
    halves = []
    for h, name in ((0, "vertical"), (1, "horizontal")):
        def stripe(place):
            return place[1 - h] // wide  # the first half: stripes of columns
        one = [y[:, h:h + 1] for y in (q, k, v)]
        read = attention(*one, lambda _, t, s: 0 if stripe(t) == stripe(s) else None)[:, 0]
        f, bias = case.parameter(name + ".weight", (K, 1, 3, 3)), case.parameter(name + ".bias", (K,))
        for t, (r, c) in enumerate(PLACES):
            read[:, t] += bias
            for s, (i, j) in enumerate(PLACES):
                if abs(i - r) <= 1 and abs(j - c) <= 1 and stripe((r, c)) == stripe((i, j)):
                    read[:, t] += v[:, h, s] * f[:, 0, i - r + 1, j - c + 1]
        halves.append(read)
    return case.output(projected(case, numpy.concatenate(halves, -1), "out_proj", D))


def outlook():
    global D, H
    D, H = 2, 1  # 9 x 9 weights of each head
    case, x = case_of("outlook", heads=1)
    v = picture(projected(case, x, "value", D, False))
    A = softmax(projected(case, x, "weights", 81).reshape(B, R, C, 9, 9) / numpy.sqrt(D / H))
    y = numpy.zeros((B, R, C, D))
    for r, c in PLACES:
        window = [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        inside = [0 <= i < R and 0 <= j < C for i, j in window]
        for a, (i, j) in enumerate(window):
            for b, (m, n) in enumerate(window):
                if inside[a] and inside[b]:
                    y[:, i, j] += A[:, r, c, a, b, None] * v[:, m, n]
    out = case.output(projected(case, flat(y), "out_proj", D))
    D, H = 4, 2
    return out


def focal():
    M, e, reach = 2, 1, 1
    F = 2 * reach + 1
    case, x = case_of(f"focal:window={M},ring={e},reach={reach}")
    W, b = case.parameter("in_proj.weight", (3 * D, D)), case.parameter("in_proj.bias", (3 * D,))
    p, p0 = case.parameter("pool.weight", (1, M * M))[0], case.parameter("pool.bias", (1,))
    table = case.parameter("table", ((2 * M - 1) ** 2, H), 0.5)
    ring_table = case.parameter("ring_table", (M * M, (M + 2 * e) ** 2 - M * M, H), 0.5)
    pooled_table = case.parameter("pooled_table", ((M + F - 1) ** 2, H), 0.5)
    ring = [(i, j) for i in range(-e, M + e) for j in range(-e, M + e) if not (0 <= i < M and 0 <= j < M)]
    windows = [(i, j) for i in range(-(-R // M)) for j in range(-(-C // M))]
    coarse = {}
    for i, j in windows:
        inside = [(n, (i * M + n // M) * C + j * M + n % M) for n in range(M * M) if i * M + n // M < R and j * M + n % M < C]
        coarse[i, j] = sum(p[n] * x[0, t] for n, t in inside) + p0
    y = numpy.zeros((B, R * C, D))
    for t, (r, c) in enumerate(PLACES):
        row, column, own = r // M, c // M, (r % M, c % M)
        for h in range(H):
            part = slice(h * K, (h + 1) * K)
            q = (W[:D] @ x[0, t] + b[:D])[part]
            e_t, v_t = [], []
            def read(key, bias):
                e_t.append(q @ (W[D:2 * D] @ key + b[D:2 * D])[part] / numpy.sqrt(K) + bias)
                v_t.append((W[2 * D:] @ key + b[2 * D:])[part])
            for s, (i, j) in enumerate(PLACES):
                if (i // M, j // M) == (row, column):
                    read(x[0, s], table[(r - i + M - 1) * (2 * M - 1) + c - j + M - 1, h])
                elif (i - row * M, j - column * M) in ring:
                    read(x[0, s], ring_table[own[0] * M + own[1], ring.index((i - row * M, j - column * M)), h])
            for i, j in windows:
                a, d = i - row + reach, j - column + reach  # its number among those around
                if 0 <= a < F and 0 <= d < F:
                    read(coarse[i, j], pooled_table[(own[0] - a + F - 1) * (M + F - 1) + own[1] - d + F - 1, h])
            y[0, t, part] = softmax(numpy.array(e_t)) @ numpy.array(v_t)
    return case.output(projected(case, y, "out_proj", D))


def cases():
    yield focal()
    yield shifted_window(0)
    yield shifted_window(1)
    yield neighbourhood(3, 1, None)
    yield neighbourhood(2, 2, "neighbourhood_dilated")
    yield deformable()
    yield grid()
    yield swin_v2()
    yield criss_cross()
    yield non_local("")
    yield non_local("", 1)
    yield non_local("_gaussian")
    yield non_local("_dot")
    yield non_local("_concat")
    yield global_context()
    yield eca()
    yield cbam()
    yield coordinate()
    yield lambda_layer()
    yield cross_stripes()
    yield outlook()
