"""Mixers (nn/attention/mixers/) as the papers write them: those with a state word after word.

input.x [B, T, D], output.y [B, T, D], heed's parameters; causal; the option `stage` is the text by which heed makes it.
B 2, T 5, D 8, H 2, K = D / H.
"""
import torch
from torch.nn import functional

from golden_case import Case, rounded

B, T, D, H = 2, 5, 8, 2
K = D // H


def mixer_case(stage, output):
    """output(x, p): p(name, shape) is a parameter."""
    name = "mixer_" + stage.split(":")[0]
    case = Case(__file__, name, name, stage=stage)
    x = case.input("x", torch.randn(B, T, D))

    def parameter(name, *shape):
        value = rounded(torch.randn(shape) * shape[-1] ** -0.5)
        case.add("param." + name, value)
        return case._leaf(name, value)

    return case.outputs(y=output(x, parameter))


def heads(x):
    return x.reshape(B, T, H, -1).transpose(1, 2)


def normed(o):
    o = o / torch.sqrt((o * o).mean(-1, keepdim=True) + 1e-5)
    return o.transpose(1, 2).reshape(B, T, D)


def recurrence(q, k, v, decay):
    """S = a S + k^T v. decay [.., K]: a itself."""
    S, outputs = torch.zeros(B, H, K, K), []
    for t in range(T):
        S = decay[:, :, t].unsqueeze(-1) * S + torch.einsum("bhk,bhv->bhkv", k[:, :, t], v[:, :, t])
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, :, t], S))
    return torch.stack(outputs, 2)


def gated_linear(x, p):
    q, k, v = (x @ p(name + ".weight", D, D).T for name in ("query", "key", "value"))
    decay = torch.sigmoid(x @ p("decay1.weight", 3, D).T @ p("decay2.weight", D, 3).T + p("decay2.bias", D)) ** (1 / 16)
    o = recurrence(heads(q) * K ** -0.5, heads(k), heads(v), heads(decay))
    return (functional.silu(x @ p("gate.weight", D, D).T) * normed(o)) @ p("output.weight", D, D).T


def forgetting(x, p):  # in heed a position of multi-head attention
    W, b = p("in_proj_weight", 3 * D, D), p("in_proj_bias", 3 * D)
    q, k, v = (heads(y) for y in (x @ W.T + b).chunk(3, -1))
    log_f = torch.log(torch.sigmoid(x @ p("forget.weight", H, D).T + p("forget.bias", H)))  # [B, T, H]
    bias = torch.stack([torch.stack([log_f[:, s + 1:t + 1].sum(1) for s in range(T)], -1) for t in range(T)], -2)
    e = q @ k.transpose(-2, -1) * K ** -0.5 + bias
    o = torch.softmax(e.masked_fill(torch.ones(T, T).triu(1) > 0, -torch.inf), -1) @ v
    return o.transpose(1, 2).reshape(B, T, D) @ p("out_proj.weight", D, D).T + p("out_proj.bias", D)


def aft(w):
    """w(p) [H, T, T]"""
    def output(x, p):
        q, k, v = (x @ p(name + ".weight", D, D).T + p(name + ".bias", D) for name in ("query", "key", "value"))
        e = k.unsqueeze(1) + w(p).permute(1, 2, 0).repeat_interleave(K, -1)  # [B, T, S, D]
        later = (torch.ones(T, T).triu(1) > 0).unsqueeze(-1)
        mean = (torch.softmax(e.masked_fill(later, -torch.inf), 2) * v.unsqueeze(1)).sum(2)
        return (torch.sigmoid(q) * mean) @ p("output.weight", D, D).T + p("output.bias", D)
    return output


def cases():
    yield mixer_case("gated_linear:3,rank=3", gated_linear)
    yield mixer_case("forgetting", forgetting)
    yield mixer_case("aft_full:6,rank=3", aft(
        lambda p: (p("of_query", 6, 3)[:T] @ p("of_key", 6, 3)[:T].T).expand(H, T, T)))
    yield mixer_case("aft_simple", aft(lambda p: torch.zeros(H, T, T)))
