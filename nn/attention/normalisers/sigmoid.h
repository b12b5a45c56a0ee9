// Sigmoid attention ("Theory, analysis, and best practices for sigmoid self-attention"): each key is weighed by itself.
// With a bias of 0 a row of zero scores would sum to S / 2, so that the context grows with the length of the source;
// with -ln S it sums to S / (S + 1), almost 1 for any length. (The paper takes the length of the sequence. The number
// of allowed keys is the same without a mask, and it makes padding and causal decoding exact.)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SigmoidNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B5", "sigmoid", "sigmoid attention"},
      .formula = "w_s = sigmoid(e_s - ln S), S the number of keys allowed",
      .paper = {"Ramapuram et al., ICLR 2025", 2025, 2},
      .idea =
          "Each weight depends on one score only, so keys do not compete. A row may have any sum, so a query can also "
          "read nothing. The bias makes the sum of a row about one at the start of training.",
      .wrong = "Without the bias of minus the logarithm of S the sum of a row grows with the length.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S exponentials, no sum over the keys",
      .own = {"zero_scores_sum_to_almost_one", "keys_do_not_compete"},
      .exempt = {kAnySumIsRead, kWeightsAreAbsolute, kAnySum},
  };

  using Options = NormaliserOptions;
  SigmoidNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    return sigmoid(scores - Variable(log(allowed_keys(scores))));
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
