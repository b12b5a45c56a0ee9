"""Mixers whose state is a matrix that decays and is corrected, word after word: the delta rule and its relatives,
RWKV 5 to 7, retention, lightning attention, log-linear attention. S [K, V] is the state of one head, rows are keys.
"""
import math

import numpy

from plain_case import PlainCase, heads, joined, layer_norm, rms, short_convolution, sigmoid, silu, softmax, softplus, unit

T, D, H = 5, 4, 2
K = D // H


def by_words(step, *inputs):
    """o[b, h, t] = step(S, the inputs at b, h, t) -> (S, o), inputs [B, H, T, ..]"""
    B, n = inputs[0].shape[0], inputs[0].shape[2]
    o = numpy.zeros((B, H, n, K))
    for b in range(B):
        for h in range(H):
            S = numpy.zeros((K, K))
            for t in range(n):
                S, o[b, h, t] = step(S, h, *(x[b, h, t] for x in inputs))
    return o


def delta(S, key, value, strength, removed=None):
    """S + b k^T (v - p S)"""
    return S + strength * numpy.outer(key, value - (key if removed is None else removed) @ S)


def shifted(x):
    return numpy.concatenate([0 * x[:, :1], x[:, :-1]], 1)


def linear(case, name, x, out):
    return x @ case.parameter(name + ".weight", (out, x.shape[-1])).T


def convolved(case, x, features, taps=2):
    """silu of the short convolution of x W, no bias anywhere"""
    return short_convolution(linear(case, "projection", x, features), case.parameter("convolution.weight", (taps, features), 1), 0)


def group_norm(case, o, eps):
    """Of each head, with a gain and a bias of each feature."""
    gain, bias = case.parameter("norm_weight", (D,), 1, 1), case.parameter("norm_bias", (D,), 1)
    return joined(layer_norm(o, eps)) * gain + bias


def kda():
    case = PlainCase(__file__, "mixer", "kda:taps=2")
    x = case.input("x", (1, T, D))
    q, k, v = (heads(y, H) for y in numpy.split(convolved(case, x, 3 * D), 3, -1))
    b = heads(sigmoid(linear(case, "strength", x, H)), H)
    z = linear(case, "decay2", linear(case, "decay1", x, K), D) + case.parameter("step_bias", (D,), 1)
    g = -numpy.exp(case.parameter("log_rate", (H,), 1)).reshape(1, H, 1, 1) * heads(softplus(z), H)

    def step(S, h, q, k, v, b, g):
        S = delta(numpy.exp(g)[:, None] * S, k, v, b)
        return S, q @ S

    o = by_words(step, unit(q) / math.sqrt(K), unit(k), v, b, g)
    gate = linear(case, "gate2", linear(case, "gate1", x, K), D) + case.parameter("gate2.bias", (D,), 1)
    o = joined(rms(o) * case.parameter("norm", (K,), 1, 1)) * sigmoid(gate)
    return case.output(linear(case, "output", o, D))


def gated(case, x, o, f=silu):
    """(rms_h(o) f(x W_g)) W_o"""
    gate = f(linear(case, "gate", x, D))
    return case.output(linear(case, "output", joined(rms(o) * case.parameter("norm", (K,), 1, 1)) * gate, D))


def head_decay(case, x):
    z = linear(case, "step", x, H) + case.parameter("step_bias", (H,), 1)
    return heads(-numpy.exp(case.parameter("log_rate", (H,), 1)) * softplus(z), H)


def delta_product():
    n = 2
    case = PlainCase(__file__, "mixer", f"delta_product:steps={n},taps=2")
    x = case.input("x", (1, T, D))
    q, k, v = numpy.split(convolved(case, x, (2 * n + 1) * D), [D, (n + 1) * D], -1)
    k, v = ([heads(y, H) for y in numpy.split(z, n, -1)] for z in (k, v))  # one of each step
    b = [heads(2 * sigmoid(y), H) for y in numpy.split(linear(case, "strength", x, n * H), n, -1)]

    def step(S, h, q, g, *steps):
        S = numpy.exp(g) * S  # once
        for j in range(n):
            S = delta(S, steps[j], steps[n + j], steps[2 * n + j])
        return S, q @ S

    q = unit(heads(q, H)) / math.sqrt(K)
    return gated(case, x, by_words(step, q, head_decay(case, x), *(unit(y) for y in k), *v, *b))


def comba():
    case = PlainCase(__file__, "mixer", "comba:taps=2")
    x = case.input("x", (1, T, D))
    q, k, v = (heads(y, H) for y in numpy.split(convolved(case, x, 3 * D), 3, -1))
    b = heads(sigmoid(linear(case, "strength", x, H)), H)
    d, c = case.parameter("inner_decay", (H,), 1), case.parameter("correction", (H,), 1)
    share = sigmoid(d).reshape(1, H, 1, 1)
    q, k = unit(q - c.reshape(1, H, 1, 1) * share * k) / math.sqrt(K), unit(k)  # the query is corrected by the raw key
    p = share * k

    def step(S, h, q, k, v, b, g, p):
        S = numpy.exp(g) * S + k[:, None] * (b * (v - p @ S))  # what p reads has not decayed
        return S, q @ S

    return gated(case, x, by_words(step, q, k, v, b, head_decay(case, x), p), sigmoid)


def delta_rule(stage, doubled):
    case = PlainCase(__file__, "mixer", stage, "delta_rule_doubled" if doubled else None)
    x = case.input("x", (1, T, D))
    q, k, v = (heads(y, H) for y in numpy.split(convolved(case, x, 3 * D), 3, -1))
    b = heads(sigmoid(linear(case, "strength", x, H)), H) * (2 if doubled else 1)

    def step(S, h, q, k, v, b):
        S = delta(S, k, v, b)
        return S, q @ S

    o = by_words(step, unit(q) / math.sqrt(K), unit(k), v, b)
    return case.output(linear(case, "output", joined(rms(o) * case.parameter("norm", (K,), 1, 1)), D))


def fast_weights():
    case = PlainCase(__file__, "mixer", "fast_weights")
    x = case.input("x", (1, T, D))
    feature = lambda y: numpy.where(y > 0, y + 1, numpy.exp(numpy.minimum(y, 0)))  # elu + 1
    shares = lambda y: feature(y) / feature(y).sum(-1, keepdims=True)
    q, k, v = (heads(linear(case, name, x, D), H) for name in ("query", "key", "value"))
    b = heads(sigmoid(linear(case, "strength", x, H)), H)

    def step(S, h, q, k, v, b):
        S = delta(S, k, v, b)
        return S, q @ S

    return case.output(linear(case, "output", joined(by_words(step, shares(q), shares(k), v, b) / math.sqrt(K)), D))


def retention():
    """Heads of width 4, so that there are two angles: 1 and 1e-4."""
    case = PlainCase(__file__, "mixer", "retention")
    x = case.input("x", (1, T, 8))
    q, k, v, g = (linear(case, name, x, 8) for name in ("query", "key", "value", "gate"))
    angle = numpy.arange(T)[:, None] * 10000.0 ** -numpy.linspace(0, 1, 2)

    def turned(y):
        z = heads(y, H).reshape(1, H, T, 2, 2)
        z = (z[..., 0] + 1j * z[..., 1]) * numpy.exp(1j * angle)
        return numpy.stack([z.real, z.imag], -1).reshape(1, H, T, 4)

    q, k, v = turned(q), turned(k) / 2, heads(v, H)
    o = numpy.zeros((1, H, T, 4))
    for h in range(H):
        S = numpy.zeros((4, 4))
        for t in range(T):
            S = (1 - 2.0 ** (-5 - h)) * S + numpy.outer(k[0, h, t], v[0, h, t])
            o[0, h, t] = q[0, h, t] @ S
    return case.output(linear(case, "output", silu(g) * joined(rms(o, 1e-6)), 8))


def rwkv5():
    case = PlainCase(__file__, "mixer", "rwkv5", layer=1, layers=3)
    x = case.input("x", (1, T, D))
    mix = case.parameter("mix", (4, D), 1)
    r, k, v, g = (linear(case, name, m * x + (1 - m) * shifted(x), D)
                  for m, name in zip(mix, ("receptance", "key", "value", "gate")))
    w = numpy.exp(-numpy.exp(case.parameter("decay", (D,), 1))).reshape(H, K)
    u = case.parameter("bonus", (D,), 1).reshape(H, K)

    def step(S, h, r, k, v):
        o = r @ (S + numpy.outer(u[h] * k, v))
        return w[h][:, None] * S + numpy.outer(k, v), o

    o = by_words(step, *(heads(y, H) for y in (r, k, v)))
    return case.output(linear(case, "output", group_norm(case, o / 8, 1e-5) * silu(g), D))


def rwkv6():
    n = 1
    case = PlainCase(__file__, "mixer", f"rwkv6:shift_rank={n},decay_rank={n}")
    x = case.input("x", (1, T, D))
    dx = shifted(x) - x
    mix = case.parameter("mix", (6, D), 1)  # x, w, k, v, r, g
    m = numpy.tanh(linear(case, "shift1", x + dx * mix[0], 5 * n)).reshape(1, T, 5, n)
    W2 = case.parameter("shift2", (5, n, D), 1)
    xw, xk, xv, xr, xg = (x + dx * (mix[1 + i] + m[:, :, i] @ W2[i]) for i in range(5))
    r, k, v, g = linear(case, "receptance", xr, D), linear(case, "key", xk, D), linear(case, "value", xv, D), linear(case, "gate", xg, D)
    z = linear(case, "decay2", numpy.tanh(linear(case, "decay1", xw, n)), D) + case.parameter("decay2.bias", (D,), 1)
    w, u = numpy.exp(-numpy.exp(z)), case.parameter("bonus", (D,), 1).reshape(H, K)

    def step(S, h, r, k, v, w):
        o = r @ (S + numpy.outer(u[h] * k, v))
        return w[:, None] * S + numpy.outer(k, v), o

    o = by_words(step, *(heads(y, H) for y in (r, k, v, w)))
    return case.output(linear(case, "output", group_norm(case, o, 64e-5) * silu(g), D))


def rwkv7(layer):
    case = PlainCase(__file__, "mixer", "rwkv7:decay_rank=1,rate_rank=1,value_rank=1,gate_rank=1",
                     "rwkv7_first" if layer == 0 else None, layer=layer, layers=2)
    x = case.input("x", (1, T, D))
    mix = case.parameter("mix", (6, D), 1)  # r, w, k, v, a, g
    xr, xw, xk, xv, xa, xg = (x + m * (shifted(x) - x) for m in mix)
    low = lambda name, y, f: linear(case, name + "2", f(linear(case, name + "1", y, 1)), D)
    same = lambda y: y
    r, k, v = linear(case, "receptance", xr, D), linear(case, "key", xk, D), linear(case, "value", xv, D)
    w = numpy.exp(-math.exp(-0.5) * sigmoid(low("decay", xw, numpy.tanh) + case.parameter("decay2.bias", (D,), 1)))
    a = sigmoid(low("rate", xa, same) + case.parameter("rate2.bias", (D,), 1))
    if layer > 0:
        v = v + (case.input("first", (1, T, D)) - v) * sigmoid(low("value", xv, same) + case.parameter("value2.bias", (D,), 1))
    g = low("gate", xg, sigmoid)
    kk = heads(k * case.parameter("removal", (D,), 1), H)
    kk = kk / numpy.maximum(numpy.sqrt((kk * kk).sum(-1, keepdims=True)), 1e-12)
    k = heads(k * (1 + (a - 1) * case.parameter("key_rate", (D,), 1)), H)
    r, v = heads(r, H), heads(v, H)
    bonus = case.parameter("bonus", (D,), 1).reshape(1, H, 1, K)

    def step(S, h, r, w, k, v, kk, a):
        S = S.T  # [V, K], as the paper has it
        S = S * w - numpy.outer(S @ kk, a * kk) + numpy.outer(v, k)
        return S.T, S @ r

    o = by_words(step, r, heads(w, H), k, v, kk, heads(a, H))
    y = group_norm(case, o, 64e-5) + joined((r * k * bonus).sum(-1, keepdims=True) * v)
    return case.output(linear(case, "output", y * g, D))


def lightning():
    case = PlainCase(__file__, "mixer", "lightning", layer=1, layers=4)
    x = case.input("x", (1, T, D))
    q, k, v = (heads(silu(y), H) for y in numpy.split(linear(case, "projection", x, 3 * D), 3, -1))
    slope = [2.0 ** (-8 * (h + 1) / H) * (1 - 1 / 3 + 1e-5) for h in range(H)]

    def step(S, h, q, k, v):
        S = math.exp(-slope[h]) * S + numpy.outer(k, v)
        return S, q @ S

    o = rms(joined(by_words(step, q, k, v)), 1e-6) * case.parameter("norm", (D,), 1, 1)
    return case.output(linear(case, "output", o * sigmoid(linear(case, "gate", x, D)), D))


def log_linear():
    """Around it, everything is as in Mamba-2: z, x, B, C; d the steps; D a path past the state."""
    E, N, levels = 4, 2, 4
    case = PlainCase(__file__, "mixer", f"log_linear:inner=1,state={N},taps=2,levels={levels}")
    u = case.input("x", (1, T, D))
    z, xBC = numpy.split(linear(case, "mamba.projection", u, 2 * E + 2 * N), [E], -1)
    xBC = short_convolution(xBC, case.parameter("mamba.convolution.weight", (2, E + 2 * N), 1),
                            case.parameter("mamba.convolution.bias", (E + 2 * N,), 1))
    x, B, C = numpy.split(xBC, [E, E + N], -1)
    d = softplus(linear(case, "mamba.step", u, H) + case.parameter("mamba.step_bias", (H,), 1))
    g = -numpy.exp(case.parameter("mamba.log_rate", (H,), 1)) * d
    dl = linear(case, "level", u, H * levels).reshape(1, T, H, levels)
    scales = softplus(case.parameter("level_scale", (H, levels), 1) * dl)
    skip = case.parameter("mamba.skip", (H,), 1)
    x = x.reshape(1, T, H, E // H)
    o = numpy.zeros_like(x)
    for h in range(H):
        for t in range(T):
            for s in range(t + 1):
                decay = math.exp(g[0, s + 1:t + 1, h].sum())
                weight = C[0, t] @ B[0, s] * decay * scales[0, t, h, (t ^ s).bit_length()]
                o[0, t, h] += weight * d[0, s, h] * x[0, s, h]
            o[0, t, h] += skip[h] * x[0, t, h]
    o = rms(o.reshape(1, T, E) * silu(z)) * case.parameter("mamba.norm", (E,), 1, 1)
    return case.output(linear(case, "mamba.output", o, D))


def cases():
    yield kda()
    yield rwkv7(1)
    yield rwkv7(0)
    yield delta_product()
    yield rwkv5()
    yield rwkv6()
    yield comba()
    yield lightning()
    yield log_linear()
    yield delta_rule("delta_rule:taps=2", False)
    yield delta_rule("delta_rule:taps=2,doubled=1", True)
    yield fast_weights()
    yield retention()
