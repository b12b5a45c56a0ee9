// Clustered attention ("Fast transformers with clustered attention", section 3.2): the weights are computed once for
// each cluster of queries, found by k-means in each head: i rounds of Lloyd's algorithm, from the first C queries. The
// clusters have no gradient; the means do. With as many clusters as words it is multi-head attention. A mean reads
// queries of later words: it cannot be causal. The paper clusters the bits of a random hash, which is faster; here it
// is the queries themselves.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct ClusteredMixer final : Mixer {
  struct Settings {
    int64_t clusters = 4;
    int64_t iterations = 3;
    void fields(OptionFields& f) {
      f("clusters", clusters, "C, clusters of queries", {1, 1024});
      f("iterations", iterations, "i, rounds of Lloyd's algorithm", {1, 100});
    }
  };
  static constexpr About about{
      .names = {"G15b", "clustered"},
      .formula = "q~_c = mean of {q_t : c(t) = c};  head_t = softmax(q~_c(t) K^T / sqrt(K)) V",
      .paper = {"Vyas, Katharopoulos and Fleuret, NeurIPS 2020", 2020, 3},
      .idea =
          "The queries are put into clusters, and the weights are computed once for the mean of each. That is nearly "
          "right, since similar queries have similar weights. All queries of a cluster receive the same vector.",
      .wrong = "It is the queries that are clustered, and every cluster still attends to all keys.",
      .cost = "(2 + i) C T D products beside the projections; 4 D^2 parameters",
      .own = {"a_cluster_a_word_is_attention", "a_cluster_shares_its_weights", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "the mean of a cluster reads queries of later words"}},
  };

  ClusteredMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  // 1 where query t is in cluster c, [B, H, T, C]; padding is in none. q [B, H, T, K], words [B, T] of 0 and 1
  Tensor members(const Tensor& q, const Tensor& words) const;
  void visit(Visitor& v) override { v.child("", projections); }
  MixerOptions options;
  Settings settings;
  FourProjections projections;
};

}  // namespace heed::nn
