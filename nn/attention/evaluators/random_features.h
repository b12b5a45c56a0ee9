// Random feature attention (the features are those of Rahimi and Recht, NeurIPS 2007): the exponential is estimated by
// sines and cosines.
//
//   E[phi(q) . phi(k)] = exp(-|q' - k'|^2 / (2 sigma^2)) = exp(q' . k' / sigma^2) exp(-1 / sigma^2)
//
// Vectors have length 1. Otherwise each key would have a factor e^(-|k|^2 / (2 sigma^2)) of its own; with length 1 it
// is a constant, which cancels. So this estimates softmax attention whose scores are cosines, with the temperature
// sigma^2, whatever the scale of the score. The paper learns sigma, and adds a gate to the sums that forgets old words;
// here sigma is a setting, and there is no gate. w depends on the settings `seed` and `layer` alone, as in performer.h.
// 2 m features.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"

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
  struct Settings {
    int64_t features = 64;
    double sigma = 1;
    int64_t seed = 1;
    int64_t layer = 0;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("features", features, "m, the number of directions", {1, 1e6});
      f("sigma", sigma, "the root of the temperature: scores are cosines / sigma^2", {0.1, 100});
      f("seed", seed, "of the random directions", {0, 1e6});
      f("layer", layer, "the number of the layer, which has directions of its own; 0: its place in the stack",
        {0, 1e6});
      f("chunk", chunk, "C, words per chunk", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"G12", "random_features", "RFA", "random feature attention"},
      .formula =
          "x' = x / |x|;  phi(x) = [sin(w_i . x'), cos(w_i . x')] / sqrt(m), w_i ~ N(0, I / sigma^2);  c_t = phi(q_t) "
          "M / (phi(q_t) . z)",
      .paper = {"Peng, Pappas, Yogatama, Schwartz, Smith and Kong, ICLR 2021", 2021, 4},
      .idea =
          "Sines and cosines of random projections have a product whose mean is a Gaussian of the distance. For "
          "vectors of length 1 that is the exponential of their product, up to a constant factor. So sums over the "
          "keys can serve every query.",
      .wrong =
          "The weights of an estimate by sines and cosines may be negative, and their sum may be close to 0. Queries "
          "and keys must have length 1, or the lengths of the keys become factors of their weights.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "T m (2 K + 2 C + 2 V) + T C V multiply-adds a head; decoding keeps 2 m (V + 1) numbers a head",
      .own = {"kernel_forms_are_one", "sines_and_cosines_are_unbiased", "kernel_cost_is_linear", kLinearCost},
      .exempt = {{"rows_sum_to_one", "an estimate by sines and cosines may be negative, and a weight then is"}},
      .cases = "kernel attention",
  };

  RandomFeatureEvaluator(const EvaluatorOptions& o, Generator&)
      : RandomFeatureEvaluator(o, o.settings.as<Settings>()) {}

 private:
  RandomFeatureEvaluator(const EvaluatorOptions& o, const Settings& s);
};

}  // namespace heed::nn
