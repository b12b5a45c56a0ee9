"""State space models and their relatives, word after word: Mamba, Longhorn, RG-LRU, S4D, Mamba-3, H3, Hyena, Mega."""
import math

import numpy

from plain_case import PlainCase, layer_norm, rms, sigmoid, silu, softmax, softplus


def gelu_tanh(x):
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def gelu(x):
    return 0.5 * x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))


def convolution(x, weight, bias):
    """A causal convolution of each feature: weight [w, D], sum over j of weight_j x_(t - j) + bias."""
    y = numpy.zeros_like(x) + bias
    for t in range(x.shape[1]):
        for j in range(min(len(weight), t + 1)):
            y[:, t] += weight[j] * x[:, t - j]
    return y


def mamba_block(case, E, N, R, D=4):
    """Inputs, u after the convolution, z, and what is selected by u: steps before their nonlinearity, B, C."""
    x = case.input("x", (2, 5, D))
    uz = x @ case.parameter("projection.weight", (2 * E, D)).T
    u, z = uz[..., :E], uz[..., E:]
    u = silu(convolution(u, case.parameter("convolution.weight", (3, E), 0.6), case.parameter("convolution.bias", (E,), 0.3)))
    rBC = u @ case.parameter("selection.weight", (R + 2 * N, E)).T
    r, B, C = rBC[..., :R], rBC[..., R:R + N], rBC[..., R + N:]
    step = r @ case.parameter("step.weight", (E, R)).T + case.parameter("step.bias", (E,))
    return u, z, step, B, C


def mamba():
    E, N, R = 4, 3, 2
    case = PlainCase(__file__, "mixer", f"mamba:chunk=2,state={N},inner=1,taps=3,rank={R}", heads=1)
    u, z, step, B, C = mamba_block(case, E, N, R)
    dt = softplus(step)
    A = -numpy.exp(case.parameter("log_rate", (E, N), 0.5))
    skip = case.parameter("skip", (E,), 0.5, 1)
    h = numpy.zeros((2, E, N))
    y = numpy.zeros_like(u)
    for t in range(5):
        h = numpy.exp(dt[:, t, :, None] * A) * h + (dt[:, t] * u[:, t])[..., None] * B[:, t, None, :]
        y[:, t] = (h * C[:, t, None, :]).sum(-1) + skip * u[:, t]
    return case.output((y * silu(z)) @ case.parameter("output.weight", (4, E)).T)


def longhorn():
    E, N, R = 4, 3, 2
    case = PlainCase(__file__, "mixer", f"longhorn:chunk=2,state={N},inner=1,taps=3,rank={R}", heads=1)
    x, z, step, k, q = mamba_block(case, E, N, R)
    b = sigmoid(step)
    skip = case.parameter("skip", (E,), 0.5, 1)
    S = numpy.zeros((2, E, N))
    y = numpy.zeros_like(x)
    for t in range(5):
        kt = k[:, t]
        e = b[:, t] / (1 + b[:, t] * (kt ** 2).sum(-1, keepdims=True))
        S = (1 - e[..., None] * kt[:, None, :] ** 2) * S + (e * x[:, t])[..., None] * kt[:, None, :]
        y[:, t] = (S * q[:, t, None, :]).sum(-1) + skip * x[:, t]
    return case.output((y * silu(z)) @ case.parameter("output.weight", (4, E)).T)


def rg_lru():
    """Row 1 has three words after two of padding, so its first word is that of place 2."""
    D, H = 4, 2
    case = PlainCase(__file__, "mixer", "rg_lru:chunk=2,taps=3")
    x = case.input("x", (2, 5, D))
    padding = case.add("input.padding", numpy.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]]))
    x = numpy.where(padding[..., None] == 1, 0, x)
    gate = gelu_tanh(x @ case.parameter("gate.weight", (D, D)).T + case.parameter("gate.bias", (D,), 0.3))
    u = x @ case.parameter("input.weight", (D, D)).T + case.parameter("input.bias", (D,), 0.3)
    u = numpy.where(padding[..., None] == 1, 0, u)
    u = convolution(u, case.parameter("convolution.weight", (3, D), 0.6), case.parameter("convolution.bias", (D,), 0.3))

    def blocks(name):
        W, b = case.parameter(name + "_weight", (H, D // H, D // H)), case.parameter(name + "_bias", (D,), 0.3)
        return sigmoid(numpy.concatenate([u[..., 2 * h:2 * h + 2] @ W[h] for h in range(H)], -1) + b)

    i, r = blocks("input_gate"), blocks("decay_gate")
    log_a = -8 * r * softplus(case.parameter("rate", (D,), 0.7, -3))
    h = numpy.zeros((2, D))
    states = numpy.zeros_like(u)
    for b in range(2):
        first = True
        for t in range(5):
            if padding[b, t]:
                continue
            a = 0 if first else numpy.exp(log_a[b, t])
            factor = 1 if first else numpy.sqrt(1 - numpy.exp(2 * log_a[b, t]))
            h[b] = a * h[b] + factor * i[b, t] * u[b, t]
            states[b, t] = h[b]
            first = False
    y = (gate * states) @ case.parameter("output.weight", (D, D)).T + case.parameter("output.bias", (D,), 0.3)
    return case.output(numpy.where(padding[..., None] == 1, 0, y))


def diagonal_system(case, prefix, u, modes):
    """u [B, T, F, X]: each of F systems reads X sequences. y = 2 Re(C' . h) + D u, h = a h + u, in complex numbers."""
    F = u.shape[2]
    dt = numpy.exp(case.parameter(prefix + "log_step", (F,), 0.5, -1))
    A = -numpy.exp(case.parameter(prefix + "log_rate", (F, modes), 0.5))
    A = A + 1j * case.parameter(prefix + "frequency", (F, modes), 2)
    C = case.parameter(prefix + "read", (F, modes, 2), 0.7)
    skip = case.parameter(prefix + "skip", (F,), 0.7)
    a = numpy.exp(dt[:, None] * A)
    C = (C[..., 0] + 1j * C[..., 1]) * (a - 1) / A
    h = numpy.zeros((u.shape[0], F, u.shape[3], modes), complex)
    y = numpy.zeros_like(u)
    for t in range(u.shape[1]):
        h = a[:, None, :] * h + u[:, t, :, :, None]
        y[:, t] = 2 * (C[:, None, :] * h).sum(-1).real + skip[:, None] * u[:, t]
    return y


def s4d():
    case = PlainCase(__file__, "mixer", "s4d:chunk=2,modes=3", heads=1)
    x = case.input("x", (2, 5, 4))
    y = gelu(diagonal_system(case, "system.", x[..., None], 3)[..., 0])
    ab = y @ case.parameter("output.weight", (8, 4)).T + case.parameter("output.bias", (8,), 0.3)
    return case.output(ab[..., :4] * sigmoid(ab[..., 4:]))


def h3():
    D, H, K = 4, 2, 2
    case = PlainCase(__file__, "mixer", "h3:chunk=2,modes=2,taps=3")
    x = case.input("x", (2, 5, D))
    q, k, v = (x @ case.parameter(n + ".weight", (D, D)).T + case.parameter(n + ".bias", (D,), 0.3)
               for n in ("query", "key", "value"))
    k = convolution(k, case.parameter("shift.weight", (3, D), 0.6), 0) + case.parameter("key_skip", (D,), 0.7) * k
    q, k, v = (y.reshape(2, 5, H, K) for y in (q, k, v))
    P = k[..., :, None] * v[..., None, :]
    Y = diagonal_system(case, "system.", P.reshape(2, 5, H, K * K), 2).reshape(2, 5, H, K, K)
    o = (q[..., :, None] * Y).sum(-2).reshape(2, 5, D)
    return case.output(o @ case.parameter("output.weight", (D, D)).T + case.parameter("output.bias", (D,), 0.3))


def mamba3():
    D, H, N = 4, 2, 4
    E, P, angles = D, 2, 1
    case = PlainCase(__file__, "mixer", f"mamba3:chunk=2,state={N},inner=1", heads=H)
    x = case.input("x", (2, 5, D))
    parts = x @ case.parameter("projection.weight", (2 * E + 2 * N + 3 * H + angles, D)).T
    z, v, B, C, step, rate, mix, theta = numpy.split(parts, numpy.cumsum([E, E, N, N, H, H, H]), -1)
    dt = softplus(step + case.parameter("step_bias", (H,)))
    A = -numpy.maximum(numpy.where(rate < 0, 1 / (1 - numpy.minimum(rate, 0)), 1 + rate), 1e-4)
    a, l = numpy.exp(A * dt), sigmoid(mix)
    k = (rms(B) * case.parameter("key_norm", (N,), 0.3, 1))[:, :, None] + case.parameter("key_bias", (H, N), 0.3, 1)
    q = (rms(C) * case.parameter("query_norm", (N,), 0.3, 1))[:, :, None] + case.parameter("query_bias", (H, N), 0.3, 1)
    turned = math.pi * numpy.tanh(theta)[:, :, None, :] * dt[..., None]
    v = v.reshape(2, 5, H, P)
    skip = case.parameter("skip", (H,), 0.5, 1)
    S, angle = numpy.zeros((2, H, N, P)), numpy.zeros((2, H, angles))
    k_before, v_before = numpy.zeros((2, H, N)), numpy.zeros((2, H, P))
    y = numpy.zeros_like(v)

    def turn(x, angle):
        x, c, s = x.copy(), numpy.cos(angle), numpy.sin(angle)
        for i in range(angles):
            one, two = x[..., 2 * i].copy(), x[..., 2 * i + 1].copy()
            x[..., 2 * i] = one * c[..., i] - two * s[..., i]
            x[..., 2 * i + 1] = one * s[..., i] + two * c[..., i]
        return x

    for t in range(5):
        angle = angle + turned[:, t]
        kt, qt, at, lt, dtt = turn(k[:, t], angle), turn(q[:, t], angle), a[:, t], l[:, t], dt[:, t]
        S = at[..., None, None] * S
        S += ((1 - lt) * dtt * at)[..., None, None] * k_before[..., :, None] * v_before[..., None, :]
        S += (lt * dtt)[..., None, None] * kt[..., :, None] * v[:, t][..., None, :]
        y[:, t] = (qt[..., None] * S).sum(-2) + skip[:, None] * v[:, t]
        k_before, v_before = kt, v[:, t]
    return case.output((y.reshape(2, 5, E) * silu(z)) @ case.parameter("output.weight", (D, E)).T)


def hyena():
    D, W, longest, bands = 4, 3, 8, 2
    case = PlainCase(__file__, "mixer", f"hyena:chunk=2,width={W},bands={bands},max_source={longest},shift=0.25", heads=1)
    x = case.input("x", (2, 5, D))
    parts = x @ case.parameter("projection.weight", (3 * D, D)).T + case.parameter("projection.bias", (3 * D,), 0.3)
    parts = convolution(parts, case.parameter("convolution.weight", (3, 3 * D), 0.6),
                        case.parameter("convolution.bias", (3 * D,), 0.3))
    x0, x1, v = numpy.split(parts, 3, -1)
    places = numpy.arange(5)
    t = places / (longest - 1)
    f = numpy.linspace(1e-4, bands - 1, bands)
    w = 2 * math.pi * places / longest
    p = numpy.concatenate([t[:, None], numpy.cos(f * w[:, None]), -numpy.sin(f * w[:, None])], -1)
    frequency = case.parameter("frequency", (W,), 0.3, 1)
    for n, width in (("filter1", 2 * bands + 1), ("filter2", W), ("filter3", W)):
        p = numpy.sin(frequency * (p @ case.parameter(n + ".weight", (W, width)).T + case.parameter(n + ".bias", (W,), 0.3)))
    rate = abs(numpy.linspace(math.log(0.01) / 1.5, math.log(0.01) / 0.3, D))
    h = (p @ case.parameter("filter4.weight", (D, W)).T) * (numpy.exp(-t[:, None] * rate) + 0.25)
    u = x1 * v
    y = case.parameter("skip", (D,), 0.7) * u
    for s in range(5):
        for j in range(s + 1):
            y[:, s] += h[j] * u[:, s - j]
    y = (x0 * y) @ case.parameter("output.weight", (D, D)).T + case.parameter("output.bias", (D,), 0.3)
    return case.output(y)


def mega():
    D, N, Z, V, longest = 4, 2, 3, 4, 6
    case = PlainCase(__file__, "mixer", f"mega:chunk=2,state={N},width={Z},inner=1,max_source={longest}", heads=1)
    x = case.input("x", (1, 5, D))
    n = layer_norm(x) * case.parameter("norm.weight", (D,), 0.3, 1) + case.parameter("norm.bias", (D,), 0.3)
    v = silu(n @ case.parameter("value.weight", (V, D)).T + case.parameter("value.bias", (V,), 0.3))
    p, q = (sigmoid(case.parameter("average." + name, (D, N), 0.5)) for name in ("alpha", "delta"))
    beta, gamma = case.parameter("average.beta", (D, N), 0.7), case.parameter("average.gamma", (D, N), 0.7)
    h = numpy.zeros((1, D, N))
    y = numpy.zeros_like(n)
    for t in range(5):
        h = (1 - p * q) * h + p * beta * n[:, t, :, None]
        y[:, t] = (gamma * h).sum(-1) / math.sqrt(N)
    m = silu(y + case.parameter("average.omega", (D,), 0.7) * n)
    parts = m @ case.parameter("mix.weight", (2 * D + Z + V, D)).T + case.parameter("mix.bias", (2 * D + Z + V,), 0.3)
    u, z, r, h = numpy.split(parts, numpy.cumsum([D, Z, V]), -1)
    u, z, r = sigmoid(u), silu(z), silu(r)
    gain, shift = case.parameter("gain", (2, Z), 0.7), case.parameter("shift", (2, Z), 0.3)
    query, key = z * gain[0] + shift[0], z * gain[1] + shift[1]
    bias = case.parameter("bias", (2 * longest - 1,), 0.7)
    c = numpy.zeros_like(v)
    for t in range(5):
        e = [query[:, t] @ key[0, s] / math.sqrt(Z) + bias[longest - 1 + s - t] for s in range(t + 1)]
        c[0, t] = softmax(numpy.array(e)[:, 0]) @ v[0, :t + 1]
    h = silu(h + (r * c) @ case.parameter("output.weight", (D, V)).T + case.parameter("output.bias", (D,), 0.3))
    return case.output(x + u * (h - x))


def cases():
    for make in (mamba, longhorn, rg_lru, s4d, h3, mamba3, hyena, mega):
        yield make()
