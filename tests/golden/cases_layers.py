"""Layers without time: embedding, linear, softmax, layer norm. V 7, E 4, x [B, T, 4], B 3, T 5.

embedding_padding has a padding row that is NOT zero: forward returns the row as it stands, its gradient is zero.
"""
import torch
from torch import nn

from golden_case import Case

B, T, D, V = 3, 5, 4, 7


def embedding_case(name, padding_idx):
    case = Case(__file__, name, "Embedding", num_embeddings=V, embedding_dim=D, padding_idx=padding_idx)
    module = case.module(nn.Embedding(V, D))
    module.padding_idx = padding_idx  # set late, so that the row keeps its random values
    # Repeated ids within a row and across rows, id 6 never, padding id 2 four times.
    ids = case.input("ids", torch.tensor([[1, 1, 5, 2, 2], [0, 4, 5, 1, 2], [3, 5, 5, 0, 2]]))  # [B, T]
    return case.outputs(y=module(ids))


def linear_case(name, bias):
    case = Case(__file__, name, "Linear", in_features=D, out_features=6, bias=bias)
    module = case.module(nn.Linear(D, 6, bias=bias))
    return case.outputs(y=module(case.input("x", torch.randn(B, T, D))))


def softmax_case(name, op, dim, scale):
    case = Case(__file__, name, op, dim=dim)
    x = case.input("x", scale * torch.randn(B, T, D))
    return case.outputs(y=getattr(torch, op)(x, dim))


def layer_norm_case(name, shape, affine=True, eps=1e-5):
    """Over the last len(shape) axes, with the biased variance, eps inside the root."""
    case = Case(__file__, name, "LayerNorm", normalized_shape=",".join(map(str, shape)), eps=eps,
                elementwise_affine=affine)
    module = case.module(nn.LayerNorm(shape, eps=eps, elementwise_affine=affine))
    x = case.input("x", 0.5 + 2 * torch.randn(B, T, D))
    return case.outputs(y=module(x), second_order=True)


def cases():
    yield embedding_case("embedding", None)
    yield embedding_case("embedding_padding", 2)
    yield linear_case("linear", True)
    yield linear_case("linear_nobias", False)
    for op in ("softmax", "log_softmax"):
        yield softmax_case(op, op, -1, 2.0)
        yield softmax_case(op + "_dim1", op, 1, 2.0)
        yield softmax_case(op + "_dim0", op, 0, 2.0)
        yield softmax_case(op + "_large", op, -1, 200.0)  # overflows unless the maximum is subtracted
    yield layer_norm_case("layer_norm", [D])
    yield layer_norm_case("layer_norm_eps", [D], eps=0.1)
    yield layer_norm_case("layer_norm_noaffine", [D], affine=False)
    yield layer_norm_case("layer_norm_two_axes", [T, D])
