// Cog attention ("More expressive attention with negative weights"): weights with a sign, sum_s |w_s| = 1. At a score
// of 0 the weight is 0, and jumps from -p to p (p: the size it has beside 0), which no gradient shows. If all scores
// are positive it is the softmax.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct CogNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B17", "cog", "signed attention", "cog attention"},
      .formula = "w_s = sign(e_s) exp(|e_s|) / sum_r exp(|e_r|)",
      .paper = {"Lv et al., 2024 (arXiv 2411.07176)", 2024, 4},
      .idea =
          "Each weight keeps the sign of its score, so a head can subtract a value and not only add it. The sizes of "
          "the weights are a softmax of the sizes of the scores. So a strongly negative score is read as strongly as a "
          "positive one.",
      .wrong = "A mask that adds -1e9 gives the masked key the whole weight, with a minus sign. Only -inf masks.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials",
      .own = {"sizes_sum_to_one", "positive_scores_are_a_softmax"},
      .exempt = {{"constant_values_are_read", "weights have signs, so a row of equal values may cancel"},
                 {"rows_sum_to_one", "weights have signs, and only their sizes sum to 1"}},
  };

  using Options = NormaliserOptions;
  CogNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    Tensor masked = barred(scores);
    Variable sizes = softmax(masked_fill(abs(scores), masked, -INFINITY), -1);
    return sizes * sign(scores);
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
