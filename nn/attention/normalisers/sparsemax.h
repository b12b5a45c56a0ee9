// Sparsemax: the point of the simplex nearest to the scores.
//
//   w = argmin |w - z|^2 over w >= 0, sum w = 1     =  max(z - tau, 0)
//   k = the largest k with 1 + k z_(k) > z_(1) + .. + z_(k),     tau = (z_(1) + .. + z_(k) - 1) / k
//
// z_(1) >= z_(2) >= ..: the scores in order. The first k are the support; the test is strict, so a key exactly at the
// border is outside. Every key of the support gets the same shift, hence
//
//   dz_s = dw_s - (mean of dw over the support)     for s in the support, else 0
//
// A score of -inf is never in the support. Only scores that are less than 1 below the maximum need to be sorted.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// Along the last axis. A row of -inf gives zeros; a row with a NaN, or with +inf, gives NaN.
Variable sparsemax(const Variable& z);

struct SparsemaxNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B2", "sparsemax", "projection on the simplex"},
      .formula = "w_s = max(e_s - tau, 0), tau such that they sum to 1",
      .paper = {"Martins and Astudillo, ICML 2016", 2016, 2},
      .idea =
          "The weights are the point of the probability simplex (all lists of weights that are not negative and sum to "
          "one) that is nearest to the scores. Keys with low scores get exactly zero. The price is a sort of every "
          "row, and keys with the weight zero learn nothing in that step.",
      .wrong =
          "In the backward pass the mean of the gradient over the keys with a positive weight is subtracted, not the "
          "mean over all keys. All other keys get the gradient zero.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "a sort of each row: B T S log S",
      .own = {"golden_projections", "support_is_shifted_together", "weights_are_exactly_zero"},
  };

  using Options = NormaliserOptions;
  SparsemaxNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return sparsemax(scores); }
};

}  // namespace heed::nn
