"""Stages of attention and their corrections: normalisers, positions, one evaluator, external attention; see plain_case.py.

Normalisers: input.scores [B, H, T, S], input.masked of the same shape (1 = may not be attended), output.weights.
Positions and evaluators: input.q, input.k, input.v [B, T, H, K] at the places 0, 1, .. of one sequence, output.weights
[B, H, T, T] and output.context [B, H, T, K]; scores are q . k / sqrt(K), normalised by a softmax unless it says otherwise.
"""
import numpy

from plain_case import PlainCase, rms, softmax, softplus

exp, log, sqrt, pi = numpy.exp, numpy.log, numpy.sqrt, numpy.pi


def normaliser(stage, row, parameter=None, B=2, T=4, S=4):
    """row(e [n], head): the weights of the keys that one query may attend to; a whole matrix if row is none."""
    case = PlainCase(__file__, "normaliser", stage)
    e = case.input("scores", (B, 2, T, S), 1.5)
    masked = numpy.zeros((B, 2, T, S), numpy.int64)
    masked[0, :, :, 1] = 1  # padding
    masked[1, 1, 2, 3] = masked[1, 1, 3, :2] = masked[1, 0, 0, 0] = masked[1, 0, 3, :] = 1
    case.add("input.masked", masked)
    learned = case.parameter(*parameter) if parameter else None
    w = numpy.zeros((B, 2, T, S))
    for b in range(B):
        for h in range(2):
            for t in range(T):
                there = [s for s in range(S) if not masked[b, h, t, s]]
                if there:
                    w[b, h, t, there] = row(e[b, h, t, there], learned[h, 0, 0] if parameter else None)
    return case.output(w, "weights")


def softpick(e, _):
    return numpy.maximum(exp(e) - 1, 0) / (abs(exp(e) - 1).sum() + 1e-8)


def scalable_softmax(e, s):
    n = len(e)
    return n ** (s * e) / (n ** (s * e)).sum()


def learned_sinks(e, sink):
    return softmax(numpy.append(e, sink))[:-1]


def sinkhorn(steps):
    """Rows and columns of e^e divided by their sums by turns, rows first: n times the coupling of n^-1 and n^-1."""
    case = PlainCase(__file__, "normaliser", f"sinkhorn:{steps}")
    e = case.input("scores", (2, 2, 4, 4), 1.5)
    masked = numpy.zeros((2, 2, 4, 4), numpy.int64)
    masked[0, 0, 1, 2] = masked[1, 1, 3, 0] = 1
    case.add("input.masked", masked)
    w = numpy.where(masked, 0, exp(e))
    for step in range(steps):
        w = w / w.sum(-1 if step % 2 == 0 else -2, keepdims=True)
    return case.output(w, "weights")


def turned(x, angle, interleaved=False):
    """Pairs of one vector x [K], each by its angle [K/2]: (i, i + K/2), or (2i, 2i + 1)."""
    half = len(x) // 2
    first, second = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, half), slice(half, None))
    y = numpy.empty_like(x)
    y[first] = x[first] * numpy.cos(angle) - x[second] * numpy.sin(angle)
    y[second] = x[first] * numpy.sin(angle) + x[second] * numpy.cos(angle)
    return y


def thetas(K, base=10000.0):
    return base ** (-2 * numpy.arange(K // 2) / K)


def position(stage, turn, parameter=None, name=None, T=5, K=4):
    """turn(x [K], place, head, learned) of a query and of a key alike."""
    case = PlainCase(__file__, "position", stage, name, causal=False)
    q, k, v = (case.input(n, (1, T, 2, K)) for n in "qkv")
    learned = case.parameter(*parameter) if parameter else None
    e = numpy.zeros((1, 2, T, T))
    for h in range(2):
        for t in range(T):
            for s in range(T):
                e[0, h, t, s] = turn(q[0, t, h], t, h, learned) @ turn(k[0, s, h], s, h, learned) / sqrt(K)
    w = softmax(e)
    case.output(w, "weights")
    return case.output(w @ v.transpose(0, 2, 1, 3), "context")


def longrope(x, p, _, rescale, s=4.0, trained=16.0, kept=1):
    if p < kept:
        return turned(x, p * thetas(len(x)))
    return turned(x, p * thetas(len(x)) / rescale) * sqrt(1 + log(s) / log(trained))


def dynamic_ntk(T, s, trained):
    def turn(x, p, _, __):
        K = len(x)
        base = 10000.0 * (s * T / trained - (s - 1)) ** (K / (K - 2)) if T > trained else 10000.0
        return turned(x, p * thetas(K, base))
    return turn


def rope_mixed(x, p, h, frequencies, grid=2):
    column, row = p % grid, p // grid
    return turned(x, column * frequencies[0, h] + row * frequencies[1, h], interleaved=True)


def polar(T=5, K=4):
    case = PlainCase(__file__, "position", "polar:base=50", causal=False)
    q, k, v = (case.input(n, (1, T, 2, K)) for n in "qkv")
    delta = numpy.clip(case.parameter("position.delta", (2, K), 2.0, mean=-2.0), -2 * pi, 0)
    e = numpy.zeros((1, 2, T, T))
    for h in range(2):
        for t in range(T):
            for s in range(T):
                for c in range(K):
                    theta = 50.0 ** (-c / K)
                    a = softplus(q[0, t, h, c]) * exp(1j * t * theta)
                    b = softplus(k[0, s, h, c]) * exp(1j * (s * theta + delta[h, c]))
                    e[0, h, t, s] += (a * b.conjugate()).real
    w = softmax(e / sqrt(K))
    case.output(w, "weights")
    return case.output(w @ v.transpose(0, 2, 1, 3), "context")


def differential(T=4, K=8):
    """The second of three layers: depth 1, counted from 0."""
    case = PlainCase(__file__, "evaluator", "differential", "differential_rope", heads=1, layer=1, layers=3,
                     position="rope_interleaved")
    q, k, v = (case.input(n, (1, T, 1, K)) for n in "qkv")
    q1, k1, q2, k2 = (case.parameter("evaluator.lambda_" + n, (K // 2,), 0.3) for n in ("q1", "k1", "q2", "k2"))
    weight = case.parameter("evaluator.subln.weight", (K,), 0.3, mean=1.0)
    lambda_init = 0.8 - 0.6 * exp(-0.3 * 1)
    share = exp(q1 @ k1) - exp(q2 @ k2) + lambda_init

    def map_of(part):
        w = numpy.zeros((T, T))
        for t in range(T):
            e = [turned(q[0, t, 0, part], t * thetas(K // 2), True) @ turned(k[0, s, 0, part], s * thetas(K // 2), True)
                 for s in range(t + 1)]
            w[t, :t + 1] = softmax(numpy.array(e) / sqrt(K // 2))
        return w

    w = map_of(slice(0, K // 2)) - share * map_of(slice(K // 2, K))
    case.output(w[None, None], "weights")
    return case.output((rms(w @ v[0, :, 0]) * weight * (1 - lambda_init))[None, None], "context")


def external(T=5, D=4, H=2, M=3):
    case = PlainCase(__file__, "mixer", f"external:{M}", causal=False)
    x = case.input("x", (2, T, D))
    padding = numpy.zeros((2, T), numpy.int64)
    padding[1, 3:] = 1
    case.add("input.padding", padding)

    def affine(name, y, out):
        weight, bias = case.parameter(name + ".weight", (out, y.shape[-1])), case.parameter(name + ".bias", (out,), 0.5)
        return y @ weight.T + bias

    wide = affine("in_proj", x, 4 * D).reshape(2, T, 4 * H, D // H).transpose(0, 2, 1, 3)  # [B, 4H, T, K]
    a = numpy.where(padding[:, None, :, None], 0, exp(affine("memory_keys", wide, M)))
    a = a / a.sum(2, keepdims=True)              # over the words
    a = a / (1e-9 + a.sum(3, keepdims=True))     # over the memories
    y = affine("memory_values", a, D // H).transpose(0, 2, 1, 3).reshape(2, T, 4 * D)
    return case.output(numpy.where(padding[..., None], 0, affine("out_proj", y, D)))


def cases():
    yield normaliser("softpick", softpick)
    yield normaliser("scalable_softmax", scalable_softmax, ("scale", (2, 1, 1), 0.2, 0.6))
    yield normaliser("learned_sinks", learned_sinks, ("sinks", (2, 1, 1), 1.0))
    yield sinkhorn(5)
    yield position("longrope:factor=4,trained=16,kept=1", longrope, ("position.rescale", (2,), 0.4, 2.5))
    yield position("dynamic_ntk:factor=3,trained=3", dynamic_ntk(5, 3.0, 3.0))
    yield position("rope_mixed:2", rope_mixed, ("position.frequencies", (2, 2, 2), 1.0))
    yield polar()
    yield differential()
    yield external()
