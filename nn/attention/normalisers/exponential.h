// The numerator of a softmax without its denominator. A score that is the logarithm of a weight gets that weight: the
// window of Graves (eq. 46 and 47) is this normaliser with the score gaussian_mixture. Scores above 709 (in f32: 88)
// overflow, so it is for scores with an upper bound.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct ExponentialNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B16", "exponential", "weights without a sum"},
      .formula = "w_s = exp(e_s)",
      .paper = {"Graves, 2013 (arXiv 1308.0850)", 2013, 2},
      .idea =
          "The weights are the exponentials of the scores and nothing else. The Gaussian window of Graves (2013) uses "
          "it. Divided by their sum, the weights are a softmax.",
      .wrong = "Large scores overflow, since nothing is subtracted and nothing is divided.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials",
      .own = {"divided_by_their_sum_is_softmax"},
      .exempt = {kAnySumIsRead, kWeightsAreAbsolute, kAnySum},
  };

  using Options = NormaliserOptions;
  ExponentialNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return exp(scores); }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
