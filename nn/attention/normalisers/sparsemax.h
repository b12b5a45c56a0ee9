// Sparsemax (Martins and Astudillo, ICML 2016): the point of the simplex nearest to the scores. Unlike a softmax it
// gives keys of low score the weight 0 exactly.
//
//   w = argmin |w - z|^2 over w >= 0, sum w = 1     =  max(z - tau, 0)
//   k = the largest k with 1 + k z_(k) > z_(1) + .. + z_(k),     tau = (z_(1) + .. + z_(k) - 1) / k
//
// z_(1) >= z_(2) >= ..: the scores in order. The first k are the support; the test is strict, so a key exactly at the
// border is outside. Every key of the support gets the same shift, hence
//
//   dz_s = dw_s - (mean of dw over the support)     for s in the support, else 0
//
// A score of -inf is never in the support. Cost: per row, a sort of the scores that are less than 1 below the maximum.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// Along the last axis. A row of -inf gives zeros; a row with a NaN, or with +inf, gives NaN.
Variable sparsemax(const Variable& z);

struct SparsemaxNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SparsemaxNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return sparsemax(scores); }
};

}  // namespace heed::nn
