// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutPrunedHeads{
    .names = {"H6", "pruned_heads", "head masks", "are sixteen heads really better than one"},
    .formula = "output = sum_h xi_h head_h W_o,h^T + b_o,  xi_h in {0, 1};  importance of h: mean |dL / dxi_h|",
    .paper = {"Michel, Levy and Neubig, NeurIPS 2019", 2019, 3},
    .idea =
        "A factor for each head is one, or zero where the head is taken away. Most heads of a trained model can go "
        "without much loss. The gradient of the factor says which heads the loss depends on.",
    .wrong =
        "The output of the head is set to zero, not its weights or scores. A head with scores of zero still reads "
        "the mean.",
    .shapes = "[B, H, T, K], xi [H] or [B, H] -> [B, H, T, K]",
    .cost = "B T D products",
    .own = {"a_pruned_head_has_no_columns", "importance_is_a_difference"},
    .cases = "MultiHeadAttention",
    .option = "architecture",
    .text = "transformer",
    .more = "--pruned-heads 0.1 (layer.head), or HeadMasks::heads in C++",
};

}  // namespace heed::nn
