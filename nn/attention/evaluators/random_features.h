// Random feature attention (Peng et al., "Random Feature Attention", ICLR 2021; the features are those of
// Rahimi and Recht, NeurIPS 2007): the exponential is estimated by sines and cosines.
//
//   x' = x / |x|,   phi(x) = [sin(w_1 . x'), .., sin(w_m . x'), cos(w_1 . x'), .., cos(w_m . x')] / sqrt(m)
//   w_i ~ N(0, I / sigma^2):   E[phi(q) . phi(k)] = exp(-|q' - k'|^2 / (2 sigma^2))
//                                                 = exp(q' . k' / sigma^2) exp(-1 / sigma^2)
//
// Queries and keys are scaled to length 1. Otherwise each key would have a factor e^(-|k|^2 / (2 sigma^2)) of its own,
// which would change the weights; with length 1 it is a constant, which cancels. So this estimates softmax attention
// whose scores are cosines, with the temperature sigma^2, whatever the scale of the score. The estimate of a small
// exponential may be negative, and then a weight is negative.
//
// The paper learns sigma, and adds a gate to the sums that forgets old words; here sigma is a setting, and there is no
// gate. w depends on the settings `seed` and `layer` alone, as in performer.h. m the number of directions: there are 2
// m features.
#pragma once

#include "nn/attention/evaluators/kernel.h"

namespace heed::nn {

struct FourierFeatures final : FeatureMap {
  FourierFeatures(RandomDirections drawn, double sigma) : directions(std::move(drawn)), sigma_(sigma) {}
  Features of(const Variable& x, double, const Tensor&) const override;
  bool positive() const override { return false; }
  RandomDirections directions;  // w sigma, of variance 1

 private:
  double sigma_;
};

struct RandomFeatureEvaluator final : KernelEvaluator {
  RandomFeatureEvaluator(const EvaluatorOptions& o, Generator&);
};

}  // namespace heed::nn
