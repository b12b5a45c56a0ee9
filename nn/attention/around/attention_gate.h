// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutAttentionGate{
    .names = {"H4", "attention_gate", "gated attention output"},
    .formula = "head_h <- head_h * sigmoid(x W_g^T + b_g)_h, before the output projection",
    .paper = {"Qiu et al., NeurIPS 2025", 2025, 3},
    .idea =
        "A sigmoid gate decides for each number of each head how much of it is let through. So a head can contribute "
        "nothing although its weights must sum to one. Large language models with this gate no longer put much "
        "weight on the first word.",
    .wrong =
        "The gate is applied before the output projection. It is computed from the input of the queries, not from "
        "the output of attention.",
    .shapes = "[B, T, D] -> [B, T, D]",
    .cost = "2 B T D^2 FLOPs; D^2 + D parameters",
    .own = {"a_gate_of_a_half_halves"},
    .cases = "MultiHeadAttention",
    .option = "architecture",
    .text = "transformer",
    .more = "--attention-gate true",
};

}  // namespace heed::nn
