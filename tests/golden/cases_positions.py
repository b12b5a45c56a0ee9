"""Positions inside attention, written again with PyTorch: rotations as products of complex numbers, biases pair by pair.

Queries have the places 3 .. 7, keys 0 .. 7. Rotations: input.x [B, T, H, K], output.query and output.key are x as
queries and as keys at the places 3 .. 7; pair i of the entries is (i, i + K/2). Biases: output.y [1 or B, H, T, S].
"""
import math

import torch
from torch import nn

from golden_case import Case

B, T, S, H, K, FIRST = 2, 5, 8, 3, 8, 3
PLACES = torch.arange(FIRST, FIRST + T).double()
APART = torch.arange(S) - torch.arange(FIRST, FIRST + T).unsqueeze(1)  # key minus query, [T, S]


def rotated(x, thetas, places):
    half = x.shape[-1] // 2
    z = torch.complex(x[..., :half], x[..., half:]) * torch.exp(1j * places.view(-1, 1, 1) * thetas)
    return torch.cat([z.real, z.imag], -1)


def rotation_case(name, **options):
    case = Case(__file__, "position_" + name, name, **options)
    x = case.input("x", torch.randn(B, T, H, K))
    i = torch.arange(K // 2)
    thetas, temperature, decay = 10000.0 ** (-2 * i / K), 1.0, torch.ones(T, 1, K)
    if name == "rope_linear":
        thetas = thetas / options["factor"]
    elif name == "rope_ntk":
        thetas = (10000.0 * options["factor"] ** (K / (K - 2))) ** (-2 * i / K)
    elif name == "rope_yarn":
        rotations = options["trained"] / (2 * math.pi / thetas)
        ramp = ((rotations - 1) / 31).clamp(0, 1)
        thetas = (1 - ramp) * thetas / options["factor"] + ramp * thetas
        temperature = 1 + 0.1 * math.log(options["factor"])
    elif name == "xpos":
        decay = (((2 * i + 0.4 * K) / (1.4 * K)).repeat(2) ** (PLACES.view(-1, 1, 1) / options["decay"]))
    if name == "rope_2d":
        grid, short = options["grid"], 10000.0 ** (-2 * torch.arange(K // 4) / (K // 2))
        y = torch.cat([rotated(x[..., :K // 2], short, PLACES // grid),
                       rotated(x[..., K // 2:], short, PLACES % grid)], -1)
        return case.outputs(query=y, key=y.clone())
    y = rotated(x, thetas, PLACES) * temperature
    return case.outputs(query=y * decay, key=y / decay)


class Numbers(nn.Module):
    def __init__(self, **shapes):
        super().__init__()
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape)))


def kerple_case(name):
    case = Case(__file__, "position_" + name, name)
    m = case.module(Numbers(r1=H, r2=H))
    r1, r2, d = m.r1.exp().view(H, 1, 1), m.r2.view(H, 1, 1), APART.abs().double()
    y = -r1 * torch.log1p(r2.exp() * d) if name == "kerple" else -r1 * d ** (2 * torch.sigmoid(r2))
    return case.outputs(y=y.unsqueeze(0))


def fire_case(threshold, hidden):
    case = Case(__file__, "position_fire", "fire", threshold=threshold, hidden=hidden)
    m = Numbers(c=1, threshold=1)
    m.hidden, m.output = nn.Linear(1, hidden), nn.Linear(hidden, H, bias=False)
    m = case.module(m)
    longest = torch.maximum(threshold * m.threshold.exp(), PLACES).unsqueeze(1)
    share = torch.log1p(m.c.exp() * APART.abs()) / torch.log1p(m.c.exp() * longest)
    return case.outputs(y=m.output(torch.relu(m.hidden(share.unsqueeze(-1)))).permute(2, 0, 1).unsqueeze(0))


def skew_case(largest):
    case = Case(__file__, "position_skew", "skew", max_distance=largest)
    m = case.module(Numbers(table=(H, 2 * largest + 1, K)))
    q = case.input("q", torch.randn(B, H, T, K))
    rows = m.table[:, APART.clamp(-largest, largest) + largest]  # [H, T, S, K]
    return case.outputs(y=0.5 * torch.einsum("bhtk,htsk->bhts", q, rows))


def cases():
    yield rotation_case("xpos", decay=16.0)
    yield rotation_case("rope_linear", factor=4.0)
    yield rotation_case("rope_ntk", factor=4.0)
    yield rotation_case("rope_yarn", factor=4.0, trained=100.0)
    yield rotation_case("rope_2d", grid=3)
    yield kerple_case("kerple")
    yield kerple_case("kerple_power")
    yield fire_case(5.0, 4)
    yield skew_case(2)
