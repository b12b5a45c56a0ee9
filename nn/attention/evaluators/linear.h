// Linear attention ("Transformers are RNNs", eqs. 4 to 12): the softmax of a product is replaced by a product of
// features, so that the sum over keys can be taken before the query is known. kernel.h has the three forms in which it
// is computed, and kernel_sums.h the sums. A factor of the products, such as 1 / sqrt(K), is not applied: the features
// are not those of an exponential, which it would have to scale. K width of a head.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"

namespace heed::nn {

// log phi(x): x for x < 0, log(x + 1) for x >= 0. elu(x) + 1 as written would be 0 below -17 in f32.
Variable linear_log_features(const Variable& x);

struct LinearFeatures final : FeatureMap {
  Features of(const Variable& x, double, const Tensor&) const override { return {linear_log_features(x)}; }
};

struct LinearEvaluator final : KernelEvaluator {
  struct Settings {
    int64_t chunk = 64;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words per chunk", {1, 1e9}); }
  };
  static constexpr About about{
      .names = {"G10", "linear", "transformers are RNNs", "kernel feature map"},
      .formula =
          "phi(x) = elu(x) + 1;  c_t = phi(q_t) M / (phi(q_t) . z),  M = sum_s phi(k_s) v_s^T,  z = sum_s phi(k_s)",
      .paper = {"Katharopoulos, Vyas, Pappas and Fleuret, ICML 2020", 2020, 3},
      .idea =
          "The exponential of the softmax is replaced by a product of positive features of query and key. Then keys "
          "and values can be summed up once, in a matrix whose size does not grow with the length. A causal model "
          "becomes a recurrent one with that matrix as its state.",
      .wrong =
          "The denominator, a sum over the keys, is part of the formula. For very negative x, elu(x) + 1 is rounded to "
          "zero and must be computed as exp(x).",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]; state [B, G, K, V + 1]",
      .cost = "T (C (K + V) + K V) multiply-adds a head, C words per chunk; decoding keeps K (V + 2) numbers a head",
      .own = {"three_forms_are_one", "features_do_not_cancel", "multiply_adds_grow_with_the_words",
              "state_is_the_parallel_pass", "implied_weights_are_shown", "packed_rows_are_rows_alone", kLinearCost},
      .exempt = {{"mask_is_minus_infinity", "it makes no scores; at scores of 1e12 its features are 0"}},
      .cases = "linear attention",
  };

  LinearEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.as<Settings>().chunk, std::make_shared<LinearFeatures>()) {}
};

}  // namespace heed::nn
