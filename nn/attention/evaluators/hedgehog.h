// Hedgehog ("The hedgehog & the porcupine: expressive linear attentions with softmax mimicry", sections 4 and 5): a
// feature map of linear attention that is learned, first of all from the weights of softmax attention.
//
//   y = x F + b,   phi(x) = softmax([y; -y] factor)       2 K features; F [K, K] begins as the identity, b as 0
//   c_t = sum_s w_ts v_s,   w_ts = phi(q_t) . phi(k_s) / sum_s' phi(q_t) . phi(k_s')                  kernel.h
//
// The paper's own map is e^[y; -y], without the softmax (softmax=0, factor=1). The two differ by a factor of each
// vector: that of a query cancels, that of a key does not. The softmax and the factor 2 are those of fla's program, the
// defaults here. Queries and keys have a map each, which all heads share as in fla; the paper gives one to each head.
//
//   L = -mean_t sum_s a_ts log w_ts,   a = softmax(q k^T / sqrt(K))       the training rule: first L, then the task
//
// Softmax weights are far from even and grow with the product of query and key, and a map that has learned them keeps
// that. K width of a head.
#pragma once

#include "nn/attention/evaluators/kernel.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct HedgehogFeatures final : FeatureMap {
  HedgehogFeatures(int64_t width, bool shares, double times, Generator& rng);
  Features of(const Variable& x, double, const Tensor&) const override { return features_of(key(x)); }
  Features of_query(const Variable& x, double, const Tensor&) const override { return features_of(query(x)); }
  Linear query, key;  // [K, K], with a bias
  bool softmax;       // over the features
  double factor;

 private:
  Features features_of(const Variable& y) const;
};

// L, from the weights of a linear attention [.., T, S] and those of the softmax attention that it is to learn, which
// are constants. A row whose softmax weights are all 0, as that of a query that sees no key, does not count.
Variable softmax_mimicry(const Variable& weights, const Tensor& softmax_weights);

struct HedgehogEvaluator final : KernelEvaluator {
  struct Settings {
    int64_t softmax = 1;
    double factor = 2;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("softmax", softmax, "1: features are divided by their sum; 0: exponentials, as in the paper", {0, 1});
      f("factor", factor, "of y, inside the exponential", {1e-3, 1e3});
      f("chunk", chunk, "C, words per chunk", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"J24", "hedgehog", "softmax mimicry"},
      .formula = "y = x F + b,  phi(x) = softmax([2 y; -2 y]);  c_t = phi(q_t) M / (phi(q_t) . z)",
      .paper = {"Zhang, Bhatia, Kumbong and Re, ICLR 2024", 2024, 4},
      .idea =
          "The feature map is a small layer with exponentials, trained to give the weights of softmax attention. Fixed "
          "maps make weights that are too even, and that do not grow with the product of query and key. So an existing "
          "model can be turned into one of linear cost, and learns the map of each layer before it is trained further.",
      .wrong =
          "Exponentials and their softmax over the features are different maps. The sum that the softmax divides by is "
          "a factor of each key, and does not cancel.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost =
          "as G10 with 2 K features, and T K^2 for each map: T (C (2 K + V) + 2 K V + K^2) multiply-adds a head; 2 "
          "(K^2 + K) parameters a layer",
      .own = {"kernel_forms_are_one", "features_begin_as_exponentials", "negation_swaps_the_halves",
              "mimicry_learns_softmax", "kernel_cost_is_linear", kLinearCost},
      .cases = "kernel attention",
      .more =
          "its training rule is the function softmax_mimicry, on the weights that attention returns; no command uses "
          "it",
  };

  HedgehogEvaluator(const EvaluatorOptions& o, Generator& rng);
  std::string refuses(const StageSet& stages) const override;
  void visit(Visitor& v) override { v.child("query", map->query), v.child("key", map->key); }
  std::shared_ptr<HedgehogFeatures> map;  // the same as `features`
  int64_t width;                          // K
};

}  // namespace heed::nn
