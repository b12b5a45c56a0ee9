// w_s = exp(e_s) / sum_r exp(e_r)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftmaxNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B1", "softmax", "soft attention"},
      .formula = "w_s = exp(e_s) / sum_r exp(e_r)",
      .paper = {"Bridle, 1990", 1990, 1},
      .idea =
          "Every score becomes positive by the exponential function, and the row is divided by its sum. Only "
          "differences of scores matter. No weight is exactly zero unless the key is masked or the exponential "
          "underflows.",
      .wrong =
          "The largest score must be subtracted before the exponentials, and a row without any allowed key must give "
          "zeros and not NaN.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials",
      .own = {"golden_vector", "shift_invariant", "large_scores_stay_finite", "jacobian_is_diagonal_minus_outer"},
      .cases = "Attention dot",
      .default_for = {Role::stage},
  };

  using Options = NormaliserOptions;
  SoftmaxNormaliser(const NormaliserOptions&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return softmax(scores, -1); }
  bool is_softmax() const override { return true; }
};

}  // namespace heed::nn
