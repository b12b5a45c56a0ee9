// Performers: FAVOR+, positive orthogonal random features ("Rethinking Attention with Performers", section 2.3 and
// Lemma 1): an unbiased estimate of softmax attention at a cost linear in T.
//
//   E[phi(q) . phi(k)] = exp(scale q . k),   the score of softmax attention with its exponential
//
// The variance of an estimate is proportional to 1 / m. Orthogonal w_i make it smaller, and never larger. Positive
// features are used because sines and cosines (random_features.h) have a large relative error where the exponential is
// small, and may make a weight negative.
//
// The authors subtract a maximum in each exponent so that nothing overflows: of each row for queries, and of all keys
// together for keys, since a factor of one key would change its weight. Here keys have one maximum for each feature i,
// which cancels as well (kernel_sums.h).
//
// w depends on the settings alone: on `seed`, and on `layer`, the number of the layer, so that layers differ. All heads
// of a layer share it. It is neither learned nor saved, and it is not drawn anew during training.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct PerformerFeatures final : FeatureMap {
  explicit PerformerFeatures(RandomDirections drawn) : directions(std::move(drawn)) {}
  Features of(const Variable& x, double scale, const Tensor&) const override;
  RandomDirections directions;  // w
};

struct PerformerEvaluator final : KernelEvaluator {
  struct Settings {
    int64_t features = 64;
    int64_t orthogonal = 1;
    int64_t seed = 1;
    int64_t layer = 0;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("features", features, "m, the number of features", {1, 1e6});
      f("orthogonal", orthogonal, "1: directions of a block of K are orthogonal; 0: independent", {0, 1});
      f("seed", seed, "of the random directions", {0, 1e6});
      f("layer", layer, "the number of the layer, which has directions of its own; 0: its place in the stack",
        {0, 1e6});
      f("chunk", chunk, "C, words per chunk", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"G11", "performer", "FAVOR+", "positive orthogonal random features"},
      .formula =
          "x' = x / K^(1/4);  phi(x)_i = exp(w_i . x' - |x'|^2 / 2) / sqrt(m);  c_t = phi(q_t) M / (phi(q_t) . z)",
      .paper = {"Choromanski et al., ICLR 2021", 2021, 3},
      .idea =
          "Random features are drawn whose product is, on average, the exponential of the score. They are positive, so "
          "no weight is negative. With them softmax attention is estimated at the cost of linear attention.",
      .wrong =
          "Queries and keys are each divided by the fourth root of the width, so that their product is divided by its "
          "root. In the exponents, each query may subtract a maximum of its own, but all keys must subtract the same "
          "one.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "T m (2 K + C + V) + T C V multiply-adds a head; decoding keeps m (V + 2) numbers a head",
      .own = {"kernel_forms_are_one", "features_are_unbiased", "error_falls_with_the_features",
              "scales_are_of_rows_and_keys", "kernel_cost_is_linear", kLinearCost},
      .cases = "kernel attention",
  };

  PerformerEvaluator(const EvaluatorOptions& o, Generator&) : PerformerEvaluator(o, o.settings.as<Settings>()) {}

 private:
  PerformerEvaluator(const EvaluatorOptions& o, const Settings& s);
};

}  // namespace heed::nn
