// Performers: FAVOR+, positive orthogonal random features (Choromanski et al., "Rethinking Attention with Performers",
// ICLR 2021, section 2.3 and Lemma 1): an unbiased estimate of softmax attention at a cost linear in T.
//
//   x' = x sqrt(scale),   phi(x)_i = exp(w_i . x' - |x'|^2 / 2) / sqrt(m),   w_i ~ N(0, I),   i = 1 .. m
//   E[phi(q) . phi(k)] = exp(scale q . k),   the score of softmax attention with its exponential
//
// With the score scaled_dot, scale = 1 / sqrt(K): queries and keys are each multiplied by K^(-1/4), and neither by
// K^(-1/2). The variance of an estimate is proportional to 1 / m. Orthogonal w_i make it smaller, and never larger.
// Positive features are used because sines and cosines (random_features.h) have a large relative error where the
// exponential is small, and may make a weight negative.
//
// The authors subtract a maximum in each exponent so that nothing overflows: of each row for queries, and of all keys
// together for keys, since a factor of one key would change its weight. Here keys have one maximum for each feature i,
// which cancels as well (kernel_sums.h).
//
// w depends on the settings alone: on `seed`, and on `layer`, the number of the layer, so that layers differ. All heads
// of a layer share it. It is neither learned nor saved, and it is not drawn anew during training. K width of a head, m
// the number of features.
#pragma once

#include "nn/attention/evaluators/kernel.h"

namespace heed::nn {

struct PerformerFeatures final : FeatureMap {
  explicit PerformerFeatures(RandomDirections drawn) : directions(std::move(drawn)) {}
  Features of(const Variable& x, double scale, const Tensor&) const override;
  RandomDirections directions;  // w
};

struct PerformerEvaluator final : KernelEvaluator {
  PerformerEvaluator(const EvaluatorOptions& o, Generator&);
};

}  // namespace heed::nn
