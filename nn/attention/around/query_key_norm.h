// An option of multi-head attention (structures/multi_head.h).
#pragma once

#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutQueryKeyNorm{
    .names = {"H2", "query_key_norm", "QK-norm"},
    .formula = "q <- w q / sqrt(mean q^2 + eps), and k in the same way, in each head",
    .paper = {"Henry et al., EMNLP Findings 2020; Dehghani et al., ICML 2023", 2020, 1},
    .idea =
        "Queries and keys are scaled to one length before they are compared. So large projection matrices cannot "
        "make the scores large. A learned factor for each entry lets the model choose the scale.",
    .wrong = "The norm is applied to each head separately, and before rotary positions.",
    .shapes = "[B, T, H, K] -> [B, T, H, K]",
    .cost = "4 K operations per query and key; 2 K parameters",
    .own = {"length_of_queries_and_keys_does_not_count"},
    .cases = "MultiHeadAttention",
};

}  // namespace heed::nn
