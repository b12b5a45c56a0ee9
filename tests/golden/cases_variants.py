"""Normalisers and scores of the catalogue (nn/attention/), from their formulas.

Normalisers: input.scores [B, H, T, S], input.masked of the same shape (1 = may not be attended), output.weights. Scores:
input.query [B, T, Q], input.key [B, S, K], output.scores. The option `stage` is the text by which heed makes it.
Some are written the long way on purpose: the chain sums over all 2^S paths, the trees are a derivative of log det.
B 2, H 2, T 4, S 4, Q 3, K 3, A 5.
"""
import itertools
import math

import torch
from torch.nn import functional

from golden_case import Case, rounded

B, H, T, S, Q, K, A = 2, 2, 4, 4, 3, 3, 5


def parameter(case, name, *shape):
    value = rounded(torch.randn(shape))
    case.add("param." + name, value)
    return case._leaf(name, value)


def normaliser_case(name, stage, weights):
    """weights(case, e): e has -inf where masked."""
    case = Case(__file__, "normaliser_" + name, name, stage=stage)
    scores = case.input("scores", 1.5 * torch.randn(B, H, T, S))
    masked = torch.zeros(B, H, T, S, dtype=torch.bool)
    masked[0, :, :, 1] = masked[1, 1, 2, 3] = masked[1, 0, 0, 0] = True
    if name == "matrix_tree":
        masked[1] = False
    return case.outputs(weights=weights(case, scores.masked_fill(case.input("masked", masked), -math.inf)))


def allowed(e):
    return (e > -math.inf).sum(-1, keepdim=True)


def entmax(e, alpha):
    """tau by bisection, then one step of Newton, which gives tau its derivative."""
    z = (alpha - 1) * e.masked_fill(e == -math.inf, -1e4)
    power = lambda tau: (z - tau).clamp(min=0) ** (1 / (alpha - 1))
    low, high = z.detach().amax(-1, keepdim=True) - 1, z.detach().amax(-1, keepdim=True)
    for _ in range(100):
        middle = (low + high) / 2
        big = power(middle).detach().sum(-1, keepdim=True) >= 1
        low, high = torch.where(big, middle, low), torch.where(big, high, middle)
    slope = ((z - low).clamp(min=0) ** (1 / (alpha - 1) - 1)).detach().sum(-1, keepdim=True)
    return power(low + (power(low).sum(-1, keepdim=True) - 1) * (alpha.detach() - 1) / slope)


def sink(case, e):
    z = parameter(case, "sink", H, 1, 1)
    return torch.softmax(torch.cat([e, z.expand(B, H, T, 1)], -1), -1)[..., :S]


def top_k(case, e):
    return torch.softmax(e.masked_fill(e < e.topk(2).values[..., -1:], -math.inf), -1)


def stick_breaking(case, e):
    beta = torch.sigmoid(e)
    after = torch.stack([(1 - beta[..., s + 1:]).prod(-1) for s in range(S)], -1)
    return beta * after


def linear_chain(case, e):
    U = parameter(case, "transitions", 2, 2)
    rows = []
    for row in e.reshape(-1, S):
        keys = [s for s in range(S) if row[s] > -math.inf]
        energies, paths = [], list(itertools.product([0, 1], repeat=len(keys)))
        for z in paths:
            energies.append(sum(row[s] * on for s, on in zip(keys, z) if on) + sum(U[a, b] for a, b in zip(z, z[1:])))
        p = torch.softmax(torch.stack([x + torch.zeros(()) for x in energies]), 0)
        rows.append(torch.stack([sum(p[i] for i, z in enumerate(paths) if z[keys.index(s)]) if s in keys
                                 else torch.zeros(()) for s in range(S)]))
    return torch.stack(rows).reshape(e.shape)


def matrix_tree(case, e):
    """w = d log Z / de, Z = det of Tutte's matrix with the root scores in the first column."""
    eye = torch.eye(S)
    adjacency = e.exp() * (1 - eye)
    matrix = torch.diag_embed(adjacency.sum(-1)) - adjacency
    matrix = torch.cat([torch.diagonal(e.exp(), dim1=-2, dim2=-1).unsqueeze(-1), matrix[..., 1:]], -1)
    return torch.autograd.grad(torch.logdet(matrix).sum(), e, create_graph=True)[0]


def normaliser_cases():
    yield normaliser_case("entmax", "entmax", lambda case, e: entmax(e, torch.tensor(1.5)))
    yield normaliser_case("entmax_learned", "entmax:1.5,learned=1", lambda case, e: entmax(
        e, 1.01 + 0.99 * torch.sigmoid(parameter(case, "raw_alpha", H, 1, 1))))
    yield normaliser_case("sigmoid", "sigmoid", lambda case, e: torch.sigmoid(e - allowed(e).log()))
    yield normaliser_case("top_k", "top_k:2", top_k)
    yield normaliser_case("sink", "sink:1", sink)
    yield normaliser_case("slots", "slots", lambda case, e: (
        lambda shares: shares / shares.sum(-1, keepdim=True))(torch.softmax(e, -2).nan_to_num()))
    yield normaliser_case("relu", "relu", lambda case, e: torch.relu(e) / allowed(e))
    yield normaliser_case("stick_breaking", "stick_breaking", stick_breaking)
    yield normaliser_case("soft_cap", "soft_cap:2", lambda case, e: torch.softmax(
        (2 * torch.tanh(e / 2)).masked_fill(e == -math.inf, -math.inf), -1))
    yield normaliser_case("linear_chain", "linear_chain", linear_chain)
    yield normaliser_case("matrix_tree", "matrix_tree", matrix_tree)


def score_case(stage, scores, reads_keys=True):
    """scores(q [B, T, 1, Q], k [B, 1, S, K], p): p(name, shape) is a parameter."""
    name = stage.split(":")[0]
    case = Case(__file__, "score_" + name, name, stage=stage)
    q = case.input("query", torch.randn(B, T, Q))
    k = case.input("key", torch.randn(B, S, K), differentiate=reads_keys)
    return case.outputs(scores=scores(q.unsqueeze(2), k.unsqueeze(1), lambda name, *shape: parameter(case, name, *shape)))


def gaussian_mixture(q, k, p):
    log_w, log_b, step = (q.squeeze(2) @ p("window.weight", 6, Q).T + p("window.bias", 6)).split(2, -1)
    places = torch.arange(1.0, S + 1)
    kappa = step.exp().cumsum(1).unsqueeze(-1)
    return (log_w.exp().unsqueeze(-1) * torch.exp(-log_b.exp().unsqueeze(-1) * (kappa - places) ** 2)).sum(2).log()


def normed_additive(q, k, p):
    hidden = torch.tanh(q @ p("query.weight", A, Q).T + k @ p("key.weight", A, K).T + p("key.bias", A))
    v = p("v", A)
    return hidden @ (p("g") * v / v.norm()) + p("r")


def gat(q, k, p):
    W = p("shared.weight", A, K)
    both = torch.cat([(q @ W.T).expand(B, T, S, A), (k @ W.T).expand(B, T, S, A)], -1)
    return functional.leaky_relu(both @ torch.cat([p("of_query", A), p("of_key", A)]), 0.2)


def gatv2(q, k, p):
    hidden = q @ p("query.weight", A, Q).T + k @ p("key.weight", A, K).T
    return functional.leaky_relu(hidden, 0.2) @ p("a", A)


def trilinear(q, k, p):
    q, k = q.expand(B, T, S, K), k.expand(B, T, S, K)
    return torch.cat([q, k, q * k], -1) @ torch.cat([p("of_query", K), p("of_key", K), p("of_both", K)])


def score_cases():
    yield score_case("gaussian_mixture:2", gaussian_mixture, reads_keys=False)
    yield score_case("gaussian", lambda q, k, p: -((q - k) ** 2).sum(-1) / (2 * p("log_bandwidth").exp() ** 2))
    yield score_case("trilinear", trilinear)
    yield score_case("biaffine", lambda q, k, p: (
        ((q @ p("weight", Q, K)) * k).sum(-1) + k @ p("bias", K)))
    yield score_case("gat:5", gat)
    yield score_case("gatv2:5", gatv2)
    yield score_case("synthesizer_dense:7,width=5", lambda q, k, p: (torch.relu(
        q.squeeze(2) @ p("hidden.weight", A, Q).T + p("hidden.bias", A)) @ p("places.weight", 7, A).T
        + p("places.bias", 7))[..., :S], reads_keys=False)
    yield score_case("normed_additive:5", normed_additive)


def cases():
    yield from normaliser_cases()
    yield from score_cases()
