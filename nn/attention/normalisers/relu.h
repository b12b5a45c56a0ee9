// ReLU attention ("Replacing softmax with ReLU in vision transformers"): every weight can be computed by itself. The
// division by S keeps the scale of the context when the source becomes longer: a source that is repeated twice gives
// the same context. Rows may have any sum.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct ReluNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B12", "relu", "ReLU attention"},
      .formula = "w_s = max(e_s, 0) / S, S the number of keys allowed",
      .paper = {"Wortsman et al., 2023 (arXiv 2309.08586)", 2023, 4},
      .idea =
          "Negative scores become zero, and the others stay as they are, divided by the number of keys. There is no "
          "exponential, and no sum over the row is needed. Many weights are exactly zero.",
      .wrong = "The division by the number of keys is needed, or the output grows with the length.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T S comparisons; no exponential",
      .own = {"a_source_repeated_reads_the_same", "positive_scores_are_weights"},
      .exempt = {kAnySumIsRead, kWeightsAreAbsolute, kAnySum},
  };

  using Options = NormaliserOptions;
  ReluNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    return relu(scores) / Variable(allowed_keys(scores));
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
