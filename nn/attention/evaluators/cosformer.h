// cosFormer ("cosFormer: Rethinking Softmax in Attention"): features that are not negative, and weights that fall with
// the distance between two words. A common factor of all products cancels in the quotient.
//
//   phi(x at place p) = [relu(x) cos(pi p / 2 M); relu(x) sin(pi p / 2 M)]    cos(a - b) = cos a cos b + sin a sin b
//
// The cosine is positive while |t - s| < M, the setting `longest`. A query whose entries are all negative has no
// positive feature, and its context is 0. 2 K features; K width of a head, t and s places of query and key.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct CosineFeatures final : FeatureMap {
  explicit CosineFeatures(int64_t M) : longest(M) {}
  Features of(const Variable& x, double, const Tensor& places) const override;  // ValueError for a place beyond M
  bool positive() const override { return false; }
  bool reads_places() const override { return true; }
  int64_t longest;  // M
};

struct CosformerEvaluator final : KernelEvaluator {
  struct Settings {
    int64_t longest = 1024;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("longest", longest, "M: places must be below it", {1, 1e9});
      f("chunk", chunk, "C, words per chunk", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"G12b", "cosformer", "cosine reweighting"},
      .formula = "w_ts ~ relu(q_t) . relu(k_s) cos(pi/2 (t - s) / M), rows divided by their sum",
      .paper = {"Qin et al., ICLR 2022", 2022, 4},
      .idea =
          "The features are the positive entries of a query or a key. Each product is multiplied by a cosine of the "
          "distance between the two words, so near words count more. A cosine of a difference is a sum of two "
          "products, which keeps the cost linear.",
      .wrong =
          "The cosine contains a largest length, and no sentence may be longer. At longer distances the cosine, and so "
          "the weight, is negative.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "T (C (2 K + V) + 2 K V) multiply-adds a head; decoding keeps 2 K (V + 1) numbers a head",
      .own = {"kernel_forms_are_one", "weights_fall_with_the_cosine", "kernel_cost_is_linear", kLinearCost},
      .exempt = {{"keys_may_be_permuted", "weights depend on the distance of query and key"},
                 {"mask_is_minus_infinity", "keys opposite to the query share no feature with it, masked or not"},
                 {"queries_may_be_permuted", "weights depend on the distance of query and key"},
                 {"rows_sum_to_one", "a query whose entries are all negative has no features, and its row is 0"}},
      .cases = "kernel attention",
  };

  CosformerEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.as<Settings>().chunk,
                        std::make_shared<CosineFeatures>(o.settings.as<Settings>().longest)) {}
};

}  // namespace heed::nn
