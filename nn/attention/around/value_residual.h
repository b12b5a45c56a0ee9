// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutValueResidual{
    .names = {"H3", "value_residual", "ResFormer"},
    .formula = "v of layer n <- l_1 v of layer 1 + l_2 v of layer n,  l learned, 1/2 and 1/2 at first",
    .paper = {"Zhou et al., ACL 2025", 2025, 3},
    .idea =
        "Each layer reads a mixture of its own values and those of the first layer. So deep layers, whose own values "
        "have become similar to each other, still receive the values of the words themselves. The two factors of the "
        "mixture are learned.",
    .wrong =
        "What is mixed in is the value of the first layer, not of the layer before. With a cache, the mixed values are "
        "kept.",
    .shapes = "[B, G, S, K] -> [B, G, S, K]",
    .cost = "B S D products per layer; 2 parameters per layer but the first",
    .own = {"values_are_mixed", "steps_pass_on_the_same"},
    .cases = "TransformerStack",
    .option = "architecture",
    .text = "transformer",
    .more = "--value-residual true",
};

}  // namespace heed::nn
