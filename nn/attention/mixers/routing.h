// Routing attention ("Efficient content-based sparse attention with routing transformers", section 4.1): online
// k-means.
//
//   r_t = LN(q_t), without scale and shift       the shared query and key of a word; lengths are equal
//   mu_c <- lambda mu_c + (1 - lambda) mean of {r_t : c(t) = c}        with the next call in training
//
// The choice of a cluster has no gradient. A deviation: the paper fills each cluster with its T/k nearest words so that
// all are equally large; here a word is in exactly one cluster, so that causal attention is exact, and the clusters are
// a mask. The paper moves centroids by sums, and here it is by means.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct RoutingMixer final : Mixer {
  struct Settings {
    int64_t clusters = 4;
    void fields(OptionFields& f) { f("clusters", clusters, "k, clusters of each head", {1, 1024}); }
  };
  static constexpr About about{
      .names = {"C17", "routing", "routing transformer", "k-means attention"},
      .formula = "r = LN(q),  c(t) = argmax_c r_t . mu_c;  softmax over {s : c(s) = c(t)} of r_t . r_s / sqrt(K)",
      .paper = {"Roy, Saffar, Vaswani and Grangier, TACL 2021", 2021, 4},
      .idea =
          "The words are put into clusters by their queries, and attend only to words of their own cluster. During "
          "training the centres of the clusters follow the queries, as in k-means. So which words are read depends on "
          "their content and not on their position.",
      .wrong =
          "In the paper clusters are filled up to equal sizes, and then a later word can push an earlier one out of a "
          "cluster.",
      .cost = "T^2 D products under a mask, of which about 1/k count; 3 D^2 parameters, k D numbers of centroids",
      .own = {"one_cluster_is_attention", "clusters_are_apart", "training_moves_centroids"},
  };

  RoutingMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Tensor clusters(const Variable& routed) const;  // [B, H, T, K] -> i64 [B, H, T]
  void visit(Visitor& v) override {
    if (next.defined()) centroids = std::exchange(next, {});  // so that a saved state has them
    v.child("q_proj", q_proj);
    v.child("v_proj", v_proj);
    v.child("out_proj", out_proj);
    v.buffer("centroids", centroids);
  }
  MixerOptions options;
  Linear q_proj, v_proj, out_proj;
  mutable Tensor centroids;  // [H, k, K]; the next call in training moves them

 private:
  void learn(const Tensor& routed, const Tensor& cluster, const Tensor& words) const;
  mutable Tensor
      next;  // the centroids after the last call: a second run of that call, under a checkpoint, needs the old
};

}  // namespace heed::nn
