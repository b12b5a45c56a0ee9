// DPFP, the deterministic parameter-free projection ("Linear Transformers Are Secretly Fast Weight Programmers"):
// sparse features, 2 K nu of them. At most K entries of r are positive. A state of F features can keep at most F keys
// without mixing them, and elu + 1 has only K features. A query without a feature in common with any key has the
// context 0. K width of a head.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct RolledProducts final : FeatureMap {
  explicit RolledProducts(int64_t rolls) : nu(rolls) {}
  Features of(const Variable& x, double, const Tensor&) const override;
  bool positive() const override { return false; }
  int64_t nu;
};

struct DPFPEvaluator final : KernelEvaluator {
  struct Settings {
    int64_t nu = 1;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("nu", nu, "the number of rolls, less than 2 K", {1, 10000});
      f("chunk", chunk, "C, words per chunk", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"G12c", "dpfp", "deterministic parameter-free projection"},
      .formula = "r = relu([x; -x]);  phi(x)_(i, j) = r_i r_(i - j), j = 1 .. nu;  c_t = phi(q_t) M / (phi(q_t) . z)",
      .paper = {"Schlag, Irie and Schmidhuber, ICML 2021", 2021, 4},
      .idea =
          "Entries of a vector and of its negative, cut off at 0, are multiplied in pairs. Each feature is positive in "
          "one part of space only, so keys of different parts do not disturb each other in the sums. There are more "
          "features than entries, and nothing is drawn or learned.",
      .wrong =
          "Most features are 0, so a query may have none in common with any key. Its denominator is then 0 as well.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "as G10 with 2 K nu features: T (C (2 K nu + V) + 2 K nu V) multiply-adds a head",
      .own = {"kernel_forms_are_one", "features_are_rolled_products", "kernel_cost_is_linear", kLinearCost},
      .exempt = {{"causal_under_causal_scope",
                  "a word may share no feature with those before it, and see nothing; kernel_forms_are_one compares it "
                  "under a causal scope"},
                 {"rows_sum_to_one", "a query may share no feature with any key, and its row is 0"}},
      .cases = "kernel attention",
  };

  DPFPEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.as<Settings>().chunk,
                        std::make_shared<RolledProducts>(o.settings.as<Settings>().nu)),
        width(o.key) {}
  std::string refuses(const StageSet& stages) const override;
  int64_t width;  // K
};

}  // namespace heed::nn
