"""Mixers of the catalogue (nn/attention/registry_mixers_{sparse,fixed}.cpp), from their formulas.

input.x [B, T, D], input.padding [B, T] (1 = padding, a word of the second sentence), output.y [B, T, D], with 0 at
padding. The option `stage` is the text by which heed makes the mixer, with two heads. B 2, T 5, D 6, H 2, K 3.
"""
import math

import torch
from torch.nn import functional

from golden_case import Case, rounded

B, T, D, H, K = 2, 5, 6, 2, 3


class Mixer:
    def __init__(self, stage):
        self.name = stage.split(":")[0]
        self.case = Case(__file__, "mixer_" + self.name, self.name, stage=stage)
        self.x = self.case.input("x", torch.randn(B, T, D))
        padding = torch.zeros(B, T, dtype=torch.bool)
        padding[1, 4] = True
        self.word = (1 - self.case.input("padding", padding).double()).unsqueeze(-1)  # [B, T, 1]

    def parameter(self, name, *shape):
        value = rounded(torch.randn(shape) / 2)
        self.case.add("param." + name, value)
        return self.case._leaf(name, value)

    def layer(self, name, x, out):
        return x @ self.parameter(name + ".weight", out, x.shape[-1]).T + self.parameter(name + ".bias", out)

    def heads(self, name):
        return self.layer(name, self.x, D).reshape(B, T, H, K).transpose(1, 2)

    def output(self, context):
        return self.done(self.layer("out_proj", context.transpose(1, 2).reshape(B, T, D), D))

    def done(self, y):
        return self.case.outputs(y=y * self.word)


def linformer():
    m = Mixer("linformer:rank=3,max_source=7")
    q, k, v = m.heads("q_proj"), m.heads("k_proj"), m.heads("v_proj")
    word = m.word.unsqueeze(1)
    keys, values = m.parameter("E", 3, 7)[:, :T] @ (k * word), m.parameter("F", 3, 7)[:, :T] @ (v * word)
    return m.output(torch.softmax(q @ keys.transpose(2, 3) / math.sqrt(K), -1) @ values)


def talking_heads():
    m = Mixer("talking_heads")
    q, k, v = m.heads("q_proj"), m.heads("k_proj"), m.heads("v_proj")
    e = torch.stack([q[:, h] @ k[:, h].transpose(1, 2) / math.sqrt(K) for h in range(H)], -1)  # [B, T, S, H]
    e = (e @ m.parameter("mix_scores", H, H)).masked_fill(m.word.reshape(B, 1, T, 1) == 0, -math.inf)
    w = (torch.softmax(e, 2) @ m.parameter("mix_weights", H, H)).permute(0, 3, 1, 2)
    return m.output(w @ v)


def fnet():
    m = Mixer("fnet")
    full = torch.fft.fft2(m.x[0]).real
    short = functional.pad(torch.fft.fft2(m.x[1, :4]).real, (0, 0, 0, 1))
    return m.done(torch.stack([full, short]))


def cross_covariance():
    m = Mixer("cross_covariance")
    q, k, v = m.heads("q_proj"), m.heads("k_proj"), m.heads("v_proj")
    q, k = (functional.normalize(y * m.word.unsqueeze(1), dim=2) for y in (q, k))
    scores = k.transpose(2, 3) @ q * m.parameter("temperature", H, 1, 1)
    return m.output(v @ torch.softmax(scores, 2))


def gated_unit():
    m = Mixer("gated_unit:inner=2,width=4")
    u, v, z = (functional.silu(m.layer(name, m.x, out)) for name, out in
               (("u_proj", 2 * D), ("v_proj", 2 * D), ("z_proj", 4)))
    gamma, beta = m.parameter("gamma", 2, 4), m.parameter("beta", 2, 4)
    q, k = z * gamma[0] + beta[0], z * gamma[1] + beta[1]
    weights = torch.relu(q @ k.transpose(1, 2) / m.word.sum(1, keepdim=True)) ** 2 * m.word.transpose(1, 2)
    return m.done(m.layer("out_proj", u * (weights @ v), D))


def cases():
    yield linformer()
    yield talking_heads()
    yield fnet()
    yield cross_covariance()
    yield gated_unit()
