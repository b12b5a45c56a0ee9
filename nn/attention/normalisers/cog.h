// Cog attention (Lv et al., "More expressive attention with negative weights", 2024, arXiv 2411.07176): weights
// with a sign, so that a head can subtract a value as well as add it.
//
//   w_s = sign(e_s) exp(|e_s|) / sum_r exp(|e_r|)         sum_s |w_s| = 1; a row sums to a number in [-1, 1]
//
// It is a softmax of the sizes of the scores, and each weight has the sign of its score. A large negative score, which
// a softmax turns into a weight of 0, here means "read it, and subtract it". So a mask of -1e9 would take the whole
// weight; only keys with -inf are masked. A score of 0 has the weight 0, and the weight jumps there by the size that it
// has on either side, which no gradient shows. If no score is negative it is the softmax, but for scores that are 0.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct CogNormaliser final : Normaliser {
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
