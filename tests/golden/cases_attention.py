"""Multi-head attention and transformer layers, batch first, dropout 0.

Masks are I64, 1 = may NOT be attended (PyTorch's convention): input.attn_mask [T, S] (or [B * H, T, S], row b * H + h),
input.key_padding_mask [B, S] and their kin. No row is masked fully. Queries at padded places are computed all the same,
and have upstream gradients.
B 4, T 5, S 7, E 6, H 3 (so K 2), F 9; key width 8, value width 10.
"""
import torch
from torch import nn

from golden_case import Case

B, T, S, E, H, F = 4, 5, 7, 6, 3, 9


def causal(size):
    return torch.ones(size, size).triu(1).bool()


def padding(size, lengths):
    """[B, size], true past the length."""
    return torch.arange(size) >= torch.tensor(lengths).unsqueeze(1)


SELF_PADDING = (T, [5, 2, 4, 1])
MEMORY_PADDING = (S, [3, 7, 1, 6])


def attention_case(name, cross=False, kdim=None, vdim=None, bias=True, average=False, weights_gradient=False, **masks):
    """nn.MultiheadAttention. Self: input.x [B, T, E]. Cross: input.query [B, T, E], input.key [B, S, kdim or E],
    input.value [B, S, vdim or E]. output.weights: [B, H, T, S], averaged over heads [B, T, S]."""
    case = Case(__file__, name, "MultiheadAttention", embed_dim=E, num_heads=H, kdim=kdim, vdim=vdim, bias=bias,
                average_attn_weights=average, batch_first=True)
    module = case.module(nn.MultiheadAttention(E, H, bias=bias, kdim=kdim, vdim=vdim, batch_first=True))
    if cross:
        query = case.input("query", torch.randn(B, T, E))
        key = case.input("key", torch.randn(B, S, kdim or E))
        value = case.input("value", torch.randn(B, S, vdim or E))
    else:
        query = key = value = case.input("x", torch.randn(B, T, E))
    masks = {key_: case.input(key_, mask) for key_, mask in masks.items()}
    y, weights = module(query, key, value, average_attn_weights=average, **masks)
    if weights_gradient:
        return case.outputs(y=y, weights=weights)
    case.add("output.weights", weights)
    return case.outputs(y=y)


def attention_cases():
    yield attention_case("mha_self")
    yield attention_case("mha_self_nobias", bias=False)
    yield attention_case("mha_self_averaged", average=True)
    yield attention_case("mha_self_weights_gradient", weights_gradient=True)
    yield attention_case("mha_self_causal", attn_mask=causal(T))
    yield attention_case("mha_self_padding", key_padding_mask=padding(*SELF_PADDING))
    yield attention_case("mha_self_causal_padding", attn_mask=causal(T), key_padding_mask=padding(*SELF_PADDING))
    # A mask for each head: a band whose width grows with b * H + h; the diagonal is always allowed.
    distance = (torch.arange(T).unsqueeze(1) - torch.arange(T)).abs()
    yield attention_case("mha_self_mask_per_head",
                         attn_mask=torch.stack([distance > row % 4 for row in range(B * H)]))
    yield attention_case("mha_self_additive", attn_mask=biases(T, T))  # floats, added to the scores; differentiated
    yield attention_case("mha_cross", cross=True)
    yield attention_case("mha_cross_widths", cross=True, kdim=8, vdim=10)
    yield attention_case("mha_cross_widths_padding", cross=True, kdim=8, vdim=10,
                         key_padding_mask=padding(*MEMORY_PADDING))
    yield attention_case("mha_cross_widths_padding_nobias", cross=True, kdim=8, vdim=10, bias=False,
                         key_padding_mask=padding(*MEMORY_PADDING))


def biases(rows, columns):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(5))


def options_of(name):
    """The name says the form: pre (norm_first) or post, relu or gelu."""
    return {"d_model": E, "nhead": H, "dim_feedforward": F, "dropout": 0.0, "norm_first": "_pre" in name,
            "activation": "gelu" if "gelu" in name else "relu", "layer_norm_eps": 1e-5, "batch_first": True}


def encoder_case(name, **masks):
    """input.x [B, T, E], masks src_mask [T, T], src_key_padding_mask [B, T]."""
    case = Case(__file__, name, "TransformerEncoderLayer", **options_of(name))
    module = case.module(nn.TransformerEncoderLayer(**options_of(name)))
    x = case.input("x", torch.randn(B, T, E))
    return case.outputs(y=module(x, **{key: case.input(key, mask) for key, mask in masks.items()}))


def decoder_case(name, **masks):
    """input.x [B, T, E], input.memory [B, S, E], masks tgt_mask [T, T], tgt_key_padding_mask [B, T],
    memory_key_padding_mask [B, S]."""
    case = Case(__file__, name, "TransformerDecoderLayer", **options_of(name))
    module = case.module(nn.TransformerDecoderLayer(**options_of(name)))
    x = case.input("x", torch.randn(B, T, E))
    memory = case.input("memory", torch.randn(B, S, E))
    return case.outputs(y=module(x, memory, **{key: case.input(key, mask) for key, mask in masks.items()}))


def transformer_case(name, **masks):
    """nn.Transformer, 2 + 2 layers; both stacks end in a norm, in the post-norm form too.
    input.src [B, S, E], input.tgt [B, T, E]."""
    layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    case = Case(__file__, name, "Transformer", **layers, **options_of(name))
    module = case.module(nn.Transformer(**layers, **options_of(name)))
    src = case.input("src", torch.randn(B, S, E))
    tgt = case.input("tgt", torch.randn(B, T, E))
    return case.outputs(y=module(src, tgt, **{key: case.input(key, mask) for key, mask in masks.items()}))


def cases():
    yield from attention_cases()
    for form in ("post_relu", "post_gelu", "pre_relu", "pre_gelu"):
        yield encoder_case("encoder_layer_" + form)
    for form in ("post_relu", "pre_gelu"):
        yield encoder_case(f"encoder_layer_{form}_padding", src_key_padding_mask=padding(*SELF_PADDING))
        yield decoder_case("decoder_layer_" + form)
        yield decoder_case(f"decoder_layer_{form}_masks", tgt_mask=causal(T),
                           tgt_key_padding_mask=padding(*SELF_PADDING),
                           memory_key_padding_mask=padding(*MEMORY_PADDING))
        yield transformer_case(f"transformer_{form}", tgt_mask=causal(T),
                               src_key_padding_mask=padding(*MEMORY_PADDING),
                               tgt_key_padding_mask=padding(*SELF_PADDING),
                               memory_key_padding_mask=padding(*MEMORY_PADDING))
    yield encoder_case("encoder_layer_post_relu_causal", src_mask=causal(T))
