"""Structures of the catalogue (nn/attention/structures/), from their formulas: BiDAF, slot attention, Hopfield retrieval
and the head of a neural Turing machine. Parameters have heed's names. Masks: 1 = may not be attended.
"""
import math

import torch
from torch.nn import functional

from golden_case import Case, rounded

B, T, S, D, N = 2, 3, 4, 5, 6


def parameter(case, name, *shape):
    value = rounded(0.5 * torch.randn(shape))
    case.add("param." + name, value)
    return case._leaf(name, value)


def bidaf():
    case = Case(__file__, "bidaf", "bidaf")
    h, u = case.input("text", torch.randn(B, T, D)), case.input("question", torch.randn(B, S, D))
    padding = case.input("padding", torch.tensor([[0, 0, 0, 0], [0, 0, 0, 1]]).bool())
    w_q, w_k, w_b = (parameter(case, "score." + name, D) for name in ("of_query", "of_key", "of_both"))
    pairs = torch.cat([h.unsqueeze(2).expand(B, T, S, D), u.unsqueeze(1).expand(B, T, S, D),
                       h.unsqueeze(2) * u.unsqueeze(1)], -1)  # [h; u; h * u], as in the paper
    e = (pairs @ torch.cat([w_q, w_k, w_b])).masked_fill(padding.unsqueeze(1), -math.inf)
    a, b = torch.softmax(e, 2), torch.softmax(e.amax(2), 1)
    asked, important = a @ u, (b.unsqueeze(1) @ h).expand(B, T, D)
    return case.outputs(g=torch.cat([h, asked, h * asked, h * important], -1), question=a, text=b)


def slot_attention():
    case, R, I = Case(__file__, "slot_attention", "slot_attention"), 3, 4
    x = case.input("x", torch.randn(B, S, I))
    slots = parameter(case, "start", R, D).expand(B, R, D)
    matrix = lambda name, *shape: parameter(case, name, *shape)
    w_q, w_k, w_v = matrix("query.weight", D, D), matrix("key.weight", D, I), matrix("value.weight", D, I)
    gru = [matrix("update." + n, *s) for n, s in
           (("weight_ih", (3 * D, D)), ("weight_hh", (3 * D, D)), ("bias_ih", (3 * D,)), ("bias_hh", (3 * D,)))]
    mlp = [matrix("mlp." + n, *s) for n, s in (("linear1.weight", (D, D)), ("linear1.bias", (D,)),
                                               ("linear2.weight", (D, D)), ("linear2.bias", (D,)))]
    norms = {n: (matrix(n + ".weight", w), matrix(n + ".bias", w))
             for n, w in (("input_norm", I), ("slot_norm", D), ("mlp_norm", D))}
    norm = lambda name, y: functional.layer_norm(y, y.shape[-1:], *norms[name])
    y = norm("input_norm", x)
    for _ in range(3):
        q = norm("slot_norm", slots) @ w_q.T
        shares = torch.softmax(q @ (y @ w_k.T).transpose(1, 2) / math.sqrt(D), 1)
        w = shares / shares.sum(-1, keepdim=True)
        slots = torch.gru_cell((w @ (y @ w_v.T)).reshape(B * R, D), slots.reshape(B * R, D), *gru).reshape(B, R, D)
        hidden = torch.relu(functional.linear(norm("mlp_norm", slots), *mlp[:2]))
        slots = slots + functional.linear(hidden, *mlp[2:])
    return case.outputs(slots=slots, weights=w)


def hopfield():
    case = Case(__file__, "hopfield", "hopfield", beta=0.8, steps=3)
    x, p = case.input("state", torch.randn(B, T, D)), case.input("patterns", torch.randn(B, S, D))
    energy = (x * x).sum(-1) / 2 - torch.logsumexp(0.8 * x @ p.transpose(1, 2), -1) / 0.8
    for _ in range(3):
        x = torch.softmax(0.8 * x @ p.transpose(1, 2), -1) @ p
    return case.outputs(state=x, energy=energy)


def ntm_head():
    case = Case(__file__, "ntm_head", "ntm_head")
    h, memory = case.input("h", torch.randn(B, T)), case.input("memory", torch.randn(B, N, D))
    before = case.input("before", torch.softmax(torch.randn(B, N), -1))
    raw = functional.linear(h, parameter(case, "control.weight", 3 * D + 6, T), parameter(case, "control.bias", 3 * D + 6))
    key, strength, gate, shift, power, erase, add = raw.split([D, 1, 1, 3, 1, D, D], -1)
    cosine = (memory @ key.unsqueeze(-1)).squeeze(-1) / (key.norm(dim=-1, keepdim=True) * memory.norm(dim=-1) + 1e-6)
    content = torch.softmax(functional.softplus(strength) * cosine, -1)
    w = torch.sigmoid(gate) * content + (1 - torch.sigmoid(gate)) * before
    s = torch.softmax(shift, -1)
    w = torch.stack([sum(s[:, r + 1] * w[:, (i - r) % N] for r in (-1, 0, 1)) for i in range(N)], -1)
    w = w ** (1 + functional.softplus(power))
    w = w / w.sum(-1, keepdim=True)
    written = memory * (1 - w.unsqueeze(-1) * torch.sigmoid(erase).unsqueeze(1)) + w.unsqueeze(-1) * add.unsqueeze(1)
    return case.outputs(weights=w, written=written, read=(w.unsqueeze(1) @ memory).squeeze(1))


def cases():
    return [bidaf(), slot_attention(), hopfield(), ntm_head()]
