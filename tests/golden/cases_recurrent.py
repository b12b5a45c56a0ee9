"""Recurrent layers and cells, batch first: input.x [B, T, I], initial states [layers * directions, B, N].

*_lengths gives input.lengths [B]: the sequence is packed and unpacked to T again, so outputs past the length are zero,
final states are those at the length, the backward direction starts at the length, and what stands in x past the length
(random here) must not matter. *_h0 gives the initial state.
B 3, T 5, I 7, N 4.
"""
import torch
from torch import nn

from golden_case import Case

B, T, I, N = 3, 5, 7, 4


def layer_case(prefix, kind, layers, bidirectional, lengths, given_state, bias=True, **options):
    """One run of nn.RNN, nn.GRU or nn.LSTM over a batch."""
    name = prefix + ("_lengths" if lengths else "") + ("_h0" if given_state else "") + ("" if bias else "_nobias")
    case = Case(__file__, name, kind, input_size=I, hidden_size=N, num_layers=layers, bidirectional=bidirectional,
                bias=bias, batch_first=True, **options)
    module = case.module(getattr(nn, kind)(I, N, layers, bias=bias, batch_first=True, bidirectional=bidirectional,
                                           **options))
    x = case.input("x", torch.randn(B, T, I))  # [B, T, I]
    state = None
    if given_state:
        rows = layers * (2 if bidirectional else 1)
        state = case.input("h_0", torch.randn(rows, B, N))  # [layers * directions, B, N]
        if kind == "LSTM":
            state = (state, case.input("c_0", torch.randn(rows, B, N)))
    if lengths:
        lengths = case.input("lengths", torch.tensor(lengths))
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, last = module(packed, state)
        y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=T)
    else:
        y, last = module(x, state)
    if kind == "LSTM":
        return case.outputs(y=y, h_n=last[0], c_n=last[1])
    return case.outputs(y=y, h_n=last)


def layer_cases(prefix, kind, shapes, extremes_only=False, **options):
    """The four forms of each shape, or the simplest and the fullest. With lengths and a state no sequence reaches T,
    with lengths alone the middle one does."""
    forms = [(None, False), ([3, 5, 2], False), (None, True), ([2, 4, 1], True)]
    for suffix, layers, bidirectional in shapes:
        for lengths, given_state in forms[:: 3 if extremes_only else 1]:
            yield layer_case(prefix + suffix, kind, layers, bidirectional, lengths, given_state, **options)


def cell_case(name, kind, bias=True, **options):
    """One step of a cell, with a given state: x [B, I], h_0 [B, N]."""
    case = Case(__file__, name, kind, input_size=I, hidden_size=N, bias=bias, **options)
    module = case.module(getattr(nn, kind)(I, N, bias=bias, **options))
    x = case.input("x", torch.randn(B, I))
    h = case.input("h_0", torch.randn(B, N))
    if kind == "LSTMCell":
        h_1, c_1 = module(x, (h, case.input("c_0", torch.randn(B, N))))
        return case.outputs(h_1=h_1, c_1=c_1)
    return case.outputs(h_1=module(x, h))


ALL_SHAPES = [("_1layer", 1, False), ("_2layer", 2, False), ("_bi", 1, True), ("_2layer_bi", 2, True)]


def cases():
    yield from layer_cases("gru", "GRU", ALL_SHAPES)
    yield layer_case("gru_1layer", "GRU", 1, False, None, True, bias=False)
    yield cell_case("gru_cell", "GRUCell")
    yield cell_case("gru_cell_nobias", "GRUCell", bias=False)
    yield from layer_cases("lstm", "LSTM", [ALL_SHAPES[0], ALL_SHAPES[3]])
    yield from layer_cases("lstm", "LSTM", [ALL_SHAPES[1], ALL_SHAPES[2]], extremes_only=True)
    yield layer_case("lstm_1layer", "LSTM", 1, False, None, True, bias=False)
    yield cell_case("lstm_cell", "LSTMCell")
    yield cell_case("lstm_cell_nobias", "LSTMCell", bias=False)
    for nonlinearity in ("tanh", "relu"):
        prefix = "rnn_" + nonlinearity
        yield from layer_cases(prefix, "RNN", [ALL_SHAPES[0], ALL_SHAPES[3]], extremes_only=True,
                               nonlinearity=nonlinearity)
        yield cell_case(prefix + "_cell", "RNNCell", nonlinearity=nonlinearity)
