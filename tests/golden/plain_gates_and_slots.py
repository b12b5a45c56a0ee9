"""Mixers with gates or slots, and kernels of linear attention, word after word as their papers write them, in plain numpy."""
import numpy

from plain_case import (PlainCase, heads, joined, layer_norm, rms, short_convolution, sigmoid, silu, softmax, softplus)

B, T, D, H = 1, 5, 4, 2
K = D // H


def blocks(x, weight):
    """x [B, T, D], weight [n, O, I]: the features of a block are mapped by its own matrix"""
    parts = numpy.split(x, len(weight), axis=-1)
    return numpy.concatenate([part @ w.T for part, w in zip(parts, weight)], -1)


def head_norm(x):
    """[B, T, D] -> layer norm of each head"""
    return numpy.concatenate([layer_norm(part) for part in numpy.split(x, H, axis=-1)], -1)


def log_sigmoid(x):
    return -softplus(-x)


def mlstm():
    """Beck et al., NeurIPS 2024, eqs. 19 to 27, with the stabiliser of appendix A.2: C, n and exp(-m) scaled alike"""
    case = PlainCase(__file__, "mixer", "mlstm:inner=1,block=2,taps=2")
    x = case.input("x", (B, T, D))
    up, down = case.parameter("up.weight", (2 * D, D)), case.parameter("down.weight", (D, D))
    taps, bias = case.parameter("convolution.weight", (2, D)), case.parameter("convolution.bias", (D,))
    W = {name: case.parameter(name + ".weight", (2, 2, 2)) for name in ("query", "key", "value")}
    gates = {name: (case.parameter(name + ".weight", (H, 3 * D)), case.parameter(name + ".bias", (H,)))
             for name in ("input_gate", "forget_gate")}
    norm, skip = case.parameter("norm", (D,), 0.3, 1), case.parameter("skip", (D,), 0.3, 1)
    u, z = numpy.split(x @ up.T, 2, axis=-1)
    c = short_convolution(u, taps, bias)
    q, k, v = blocks(c, W["query"]), blocks(c, W["key"]), blocks(u, W["value"])
    raw = {name: numpy.concatenate([q, k, v], -1) @ w.T + b for name, (w, b) in gates.items()}  # [B, T, H]
    o = numpy.zeros((B, T, D))
    for b in range(B):
        for h in range(H):
            part = slice(h * K, h * K + K)
            C, n, m = numpy.zeros((K, K)), numpy.zeros(K), -numpy.inf
            for t in range(T):
                log_f, i = log_sigmoid(raw["forget_gate"][b, t, h]), raw["input_gate"][b, t, h]
                new = max(log_f + m, i)
                f_, i_ = numpy.exp(log_f + m - new), numpy.exp(i - new)
                key = k[b, t, part] / numpy.sqrt(K)
                C, n, m = f_ * C + i_ * numpy.outer(key, v[b, t, part]), f_ * n + i_ * key, new
                o[b, t, part] = q[b, t, part] @ C / (max(abs(q[b, t, part] @ n), numpy.exp(-m)) + 1e-6)
    return case.output(((head_norm(o) * norm + skip * c) * silu(z)) @ down.T)


def slstm():
    """The same paper, eqs. 8 to 17: c, n, m for each feature; h of the word before enters all gates"""
    case = PlainCase(__file__, "mixer", "slstm:taps=2")
    x = case.input("x", (B, T, D))
    taps, bias = case.parameter("convolution.weight", (2, D)), case.parameter("convolution.bias", (D,))
    W = [case.parameter(name + ".weight", (H, K, K)) for name in ("input_gate", "forget_gate", "cell_input", "output_gate")]
    R, b = case.parameter("recurrent", (4, H, K, K)), case.parameter("bias", (4, D))
    norm = case.parameter("norm", (D,), 0.3, 1)
    seen = short_convolution(x, taps, bias)
    gates = [blocks(seen, W[0]), blocks(seen, W[1]), blocks(x, W[2]), blocks(x, W[3])]
    c, n, m, h = numpy.zeros((B, D)), numpy.zeros((B, D)), numpy.full((B, D), -numpy.inf), numpy.zeros((B, D))
    y = numpy.zeros((B, T, D))
    for t in range(T):
        before = [numpy.concatenate([part @ R[g, head] for head, part in enumerate(numpy.split(h, H, axis=-1))], -1)
                  for g in range(4)]
        i, f, z, o = [gates[g][:, t] + before[g] + b[g] for g in range(4)]
        new = numpy.maximum(log_sigmoid(f) + m, i)
        f_, i_ = numpy.exp(log_sigmoid(f) + m - new), numpy.exp(i - new)
        c, n, m = f_ * c + i_ * numpy.tanh(z), f_ * n + i_, new
        h = sigmoid(o) * c / n
        y[:, t] = h
    return case.output(head_norm(y) * norm)


def gated_slots():
    """Zhang et al., NeurIPS 2024: keys and values of M slots, each slot with a gate"""
    M = 3
    case = PlainCase(__file__, "mixer", "gated_slots:slots=3")
    x = case.input("x", (B, T, D))
    q, k, v = [heads(silu(x @ case.parameter(name + ".weight", (D, D)).T), H) for name in ("query", "key", "value")]
    f = heads(sigmoid(x @ case.parameter("forget.weight", (H * M, D)).T) ** (1 / 8), H)  # [B, H, T, M]
    norm, W_o = case.parameter("norm", (D,), 0.3, 1), case.parameter("output.weight", (D, D))
    o = numpy.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            keys, values = numpy.zeros((M, K)), numpy.zeros((M, K))
            for t in range(T):
                gate = f[b, h, t][:, None]
                keys = gate * keys + (1 - gate) * k[b, h, t]
                values = gate * values + (1 - gate) * v[b, h, t]
                o[b, h, t] = softmax(keys @ q[b, h, t]) @ values
    return case.output((rms(silu(joined(o))) * norm) @ W_o.T)


def bounded_memory():
    """Peng et al., ACL 2022: each slot has means of keys and values, weighed by e^c"""
    M = 3
    case = PlainCase(__file__, "mixer", "bounded_memory:slots=3")
    x = case.input("x", (B, T, D), 2)
    q, k, v = [heads(x @ case.parameter(name + ".weight", (D, D)).T, H) for name in ("query", "key", "value")]
    c = numpy.clip(heads(x @ case.parameter("slot.weight", (H * M, D), 4).T, H), -32, 32)
    W_o = case.parameter("output.weight", (D, D))
    o = numpy.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                share = numpy.exp(c[b, h, :t + 1])
                share = share / share.sum(0)  # [t + 1, M]
                keys, values = share.T @ k[b, h, :t + 1], share.T @ v[b, h, :t + 1]
                o[b, h, t] = softmax(keys @ q[b, h, t] / numpy.sqrt(K)) @ values
    return case.output(joined(o) @ W_o.T)


def bounds_of(case, layers):
    """The running sum of a softmax over layers, less its first term. The case keeps the bounds, not what they are made of."""
    share = softmax(case.normal((layers, D)), 0)
    return case.add("input.first", numpy.cumsum(share, 0) - share[0])


def hgrn(name, layer, layers):
    """Qin et al., NeurIPS 2023: element by element"""
    case = PlainCase(__file__, "mixer", "hgrn", name, layer=layer, layers=layers)
    x = case.input("x", (B, T, D))
    bound = bounds_of(case, layers)[layer] if layers else 0
    i, f, g = [x @ case.parameter(part + ".weight", (D, D)).T for part in ("input", "forget", "gate")]
    norm, W_o = case.parameter("norm", (D,), 0.3, 1), case.parameter("output.weight", (D, D))
    f = bound + (1 - bound) * sigmoid(f)
    h, o = numpy.zeros((B, D)), numpy.zeros((B, T, D))
    for t in range(T):
        h = f[:, t] * h + (1 - f[:, t]) * silu(i[:, t])
        o[:, t] = h
    return case.output((rms(o) * norm * silu(g)) @ W_o.T)


def hgrn2(name, layer, layers):
    """Qin et al., COLM 2024: the state is a matrix, and 1 - f is the key"""
    case = PlainCase(__file__, "mixer", "hgrn2", name, layer=layer, layers=layers)
    x = case.input("x", (B, T, D))
    bound = bounds_of(case, layers)[layer] if layers else 0
    q, f, i = [x @ case.parameter(part + ".weight", (D, D)).T for part in ("query", "forget", "input")]
    norm, W_o = case.parameter("norm", (D,), 0.3, 1), case.parameter("output.weight", (D, D))
    q, f, i = heads(silu(q), H) / numpy.sqrt(K), heads(bound + (1 - bound) * sigmoid(f), H), heads(i, H)
    o = numpy.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            S = numpy.zeros((K, K))
            for t in range(T):
                S = f[b, h, t][:, None] * S + numpy.outer(1 - f[b, h, t], i[b, h, t])
                o[b, h, t] = q[b, h, t] @ S
    return case.output((rms(joined(o)) * norm) @ W_o.T)


def kernel(stage, weight_of, normed):
    """o_t = sum_s w_ts v_s / (sum_s w_ts + 1e-6), w_ts a polynomial of q . k / sqrt(f)"""
    F = 3
    case = PlainCase(__file__, "mixer", f"{stage}:features=3")
    x = case.input("x", (B, T, D))
    q, k = [heads(x @ case.parameter(part + ".weight", (H * F, D)).T, H) for part in ("query", "key")]
    v, W_o = heads(x @ case.parameter("value.weight", (D, D)).T, H), case.parameter("output.weight", (D, D))
    if normed:
        q, k = [layer_norm(y) * case.parameter(part + "_gain", (F,), 0.3, 1) + case.parameter(part + "_bias", (F,), 0.3)
                for y, part in ((q, "query"), (k, "key"))]
    o = numpy.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                w = [weight_of(q[b, h, t] @ k[b, h, s] / numpy.sqrt(F)) for s in range(t + 1)]
                o[b, h, t] = numpy.array(w) @ v[b, h, :t + 1] / (sum(w) + 1e-6)
    return case.output(joined(o) @ W_o.T)


def hedgehog(name, mode):
    """Zhang et al., ICLR 2024: phi = e^[y; -y], or its softmax over the features as fla has it with y twice as large"""
    case = PlainCase(__file__, "evaluator", "hedgehog" + mode, name)
    q, k, v = [case.input(part, (B, H, T, K)) for part in ("query", "key", "value")]
    phi = []
    for y, part in ((q, "query"), (k, "key")):
        y = y @ case.parameter(part + ".weight", (K, K)).T + case.parameter(part + ".bias", (K,))
        phi.append(numpy.exp(numpy.concatenate([y, -y], -1)) if mode else softmax(numpy.concatenate([2 * y, -2 * y], -1)))
    o = numpy.zeros((B, H, T, K))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                w = numpy.array([phi[0][b, h, t] @ phi[1][b, h, s] for s in range(t + 1)])
                o[b, h, t] = w @ v[b, h, :t + 1] / w.sum()
    return case.output(o)


def cases():
    yield mlstm()
    yield slstm()
    yield gated_slots()
    yield bounded_memory()
    yield hgrn("hgrn", 0, 0)
    yield hgrn("hgrn_third_layer", 2, 3)
    yield hgrn2("hgrn2", 0, 0)
    yield hgrn2("hgrn2_third_layer", 2, 3)
    yield kernel("based", lambda e: 1 + e + e * e / 2, False)
    yield kernel("rebased", lambda e: e * e, True)
    yield hedgehog("hedgehog", "")
    yield hedgehog("hedgehog_exponentials", ":softmax=0,factor=1")
