// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutHeadScale{
    .names = {"H7", "head_scale", "NormFormer's head scale"},
    .formula = "head_h <- gamma_h head_h,  gamma learned, 1 at first",
    .paper = {"Shleifer, Weston and Ott, 2021", 2021, 3},
    .idea =
        "Each head has a learned factor for its output. So the model can let some heads contribute more and others "
        "less. It belongs to a recipe that adds norms until the gradients of early and late layers are of one size.",
    .wrong =
        "The factors begin at one and are applied before the output projection. That projection could learn the same "
        "scaling.",
    .shapes = "[B, H, T, K] -> [B, H, T, K]",
    .cost = "B T D products; H parameters",
    .own = {"a_scale_is_in_its_columns"},
    .cases = "MultiHeadAttention",
    .option = "architecture",
    .text = "transformer",
    .more = "--head-scale true",
};

}  // namespace heed::nn
