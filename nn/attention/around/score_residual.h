// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutScoreResidual{
    .names = {"H3b", "score_residual", "RealFormer", "residual attention"},
    .formula = "e of layer n <- e of layer n + e of layer n - 1, before the softmax",
    .paper = {"He et al., ACL Findings 2021", 2021, 3},
    .idea =
        "Each layer adds its scores to those of the layer before. So a later layer only corrects the scores of the "
        "layer before it. All scores must be stored for that, which rules out tiled attention.",
    .wrong =
        "The scores are added before the softmax. Adding the weights after it would give rows that sum to more than "
        "one.",
    .shapes = "[B, H, T, S] -> [B, H, T, S]",
    .cost = "B H T S sums per layer, and all scores are stored: no tiled evaluator",
    .own = {"scores_add_up", "steps_pass_on_the_same"},
    .cases = "TransformerStack",
    .option = "architecture",
    .text = "transformer",
    .more = "--score-residual true; refused with mixers, and with evaluators that have no scores",
};

}  // namespace heed::nn
