"""Evaluators and mixers of the catalogue whose numbers are not those of dense attention, from their formulas.

Evaluators: input.query, input.key, input.value [B, H, T, K] as a head has them, output.context of the same shape.
Performer: input.directions [m, K], handed in. Latent: input.x [B, T, D], parameters under heed's names, output.output.
B 2, H 2, T 6, K 4; performer: m 5; nystrom: 3 landmarks of 2 words; latent: D 8, r 3, R 2.
"""
import math

import torch

from cases_variants import parameter
from golden_case import Case

B, H, T, K = 2, 2, 6, 4


def case_of(name, stage, causal, context):
    """context(case, q, k, v)"""
    case = Case(__file__, "evaluator_" + name, name, stage=stage, causal=causal)
    q, k, v = (case.input(which, torch.randn(B, H, T, K)) for which in ("query", "key", "value"))
    return case.outputs(context=context(case, q, k, v))


def by_features(phi, causal):
    def context(case, q, k, v):
        w = phi(case, q) @ phi(case, k).transpose(-2, -1)
        w = w.tril() if causal else w
        return w / w.sum(-1, keepdim=True) @ v
    return context


def elu_plus_one(case, x):
    return torch.nn.functional.elu(x) + 1


def favor(case, x):
    if "input.directions" not in case.arrays:
        case.directions = case.input("directions", torch.randn(5, K), differentiate=False)
    x = x / K ** 0.25
    return torch.exp(x @ case.directions.T - (x ** 2).sum(-1, keepdim=True) / 2) / math.sqrt(5)


def nystrom(case, q, k, v):
    q = q / math.sqrt(K)
    means = lambda x: x.reshape(B, H, 3, 2, K).mean(-2)
    weights = lambda a, b: torch.softmax(a @ b.transpose(-2, -1), -1)
    return weights(q, means(k)) @ torch.linalg.inv(weights(means(q), means(k))) @ weights(means(q), k) @ v


def rotated(x):  # [B, T, .., 2]: one pair, turned by its place
    p = torch.arange(float(T)).reshape([1, T] + [1] * (x.dim() - 2))
    a, b = x[..., :1], x[..., 1:]
    return torch.cat([a * p.cos() - b * p.sin(), a * p.sin() + b * p.cos()], -1)


def latent():
    case = Case(__file__, "mixer_latent", "latent", stage="latent:3,rope=2")
    x, mask = case.input("x", torch.randn(B, T, 8)), torch.ones(T, T).triu(1).bool()
    p = {name: parameter(case, name, *shape) for name, shape in {
        "kv_down.weight": (5, 8), "up_keys": (3, 8), "up_values": (3, 8), "q_up.weight": (12, 8),
        "out_proj.weight": (8, 8)}.items()}
    c, shared = (x @ p["kv_down.weight"].T).split([3, 2], -1)
    k, v = (c @ p["up_keys"]).reshape(B, T, 2, 4), (c @ p["up_values"]).reshape(B, T, 2, 4)
    q, turned = (x @ p["q_up.weight"].T).reshape(B, T, 2, 6).split([4, 2], -1)
    e = torch.einsum("bthk,bshk->bhts", q, k) + torch.einsum("bthk,bsk->bhts", rotated(turned), rotated(shared))
    w = torch.softmax((e / math.sqrt(6)).masked_fill(mask, -math.inf), -1)
    return case.outputs(output=torch.einsum("bhts,bshk->bthk", w, v).reshape(B, T, 8) @ p["out_proj.weight"].T)


def cases():
    for causal in (False, True):
        suffix = "_causal" if causal else ""
        yield case_of("linear" + suffix, "linear:2", causal, by_features(elu_plus_one, causal))
        yield case_of("performer" + suffix, "performer:5,chunk=2", causal, by_features(favor, causal))
    yield case_of("nystrom", "nystrom:3,iterations=60", False, nystrom)
    yield latent()
