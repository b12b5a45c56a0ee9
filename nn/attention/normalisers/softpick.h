// Softpick ("Softpick: no attention sink, no massive activations with rectified softmax"): scores are compared with 0,
// and not only with each other. Keys with scores of at most 0 have the weight 0 exactly, and still enter the
// denominator, so a row may sum to anything between 0 and 1. The sum over r is over the keys that a query may attend
// to: |exp(-inf) - 1| = 1 would count an absent key.
//
// Written so that nothing overflows, with m = max(0, largest score), which changes no number:
//
//   |exp(e) - 1| exp(-m) = exp(max(e, 0) - m) (1 - exp(-|e|))          eps exp(-m)
//
// The authors' code subtracts the largest score even if it is below 0, and adds eps after that. So its eps is not that
// of the formula but eps exp(largest score), which differs by about 1e-8 of a weight.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftpickNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"L4", "softpick", "rectified softmax"},
      .formula = "w_s = max(exp(e_s) - 1, 0) / (sum_r |exp(e_r) - 1| + 1e-8)",
      .paper = {"Zuhri, Fuadi and Aji, 2025 (arXiv 2504.20966)", 2025, 4},
      .idea =
          "Only keys with positive scores get a weight, and all scores count in the denominator. A head that finds "
          "nothing gives all keys low scores and reads nothing. So no head needs a first word into which it puts the "
          "rest of its weight.",
      .wrong =
          "A masked key must be left out of the denominator. Its term there is 1 and not 0, so padding would make all "
          "weights smaller.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "2 B T S exponentials",
      .own = {"no_positive_score_reads_nothing", "positive_scores_sum_to_one", "absent_keys_count_nothing"},
      .exempt = {{"constant_values_are_read", "rows sum to at most 1, and the context is as much of the value"},
                 kWeightsAreAbsolute,
                 {"rows_sum_to_one", "rows sum to at most 1"}},
  };
  static constexpr double eps = 1e-8;

  using Options = NormaliserOptions;
  SoftpickNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    if (scores.size(-1) == 0) return scores;
    Variable e = masked_fill(scores, barred(scores), 0);  // |exp(0) - 1| = 0: an absent key counts nothing
    Variable m(amax(relu(e.value()), {-1}, true));        // [.., T, 1]; it cancels, so it needs no gradient
    Variable sizes = exp(relu(e) - m) * -expm1(-abs(e)), positive(greater(e.value(), 0).to(e.dtype()));
    return sizes * positive / (sum(sizes, {-1}, true) + exp(-m) * eps);
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
