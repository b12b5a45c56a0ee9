// Feature-wise, or multi-dimensional, attention ("DiSAN: directional self-attention network"): a score, and so a
// weight, for each feature of each key; c = 5. The weights are [T, S, D], D times as many as those of a head, and no
// score of the pipeline has such a shape: hence a structure of its own.
#pragma once

#include <optional>

#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct FeatureWiseOptions {
  int64_t query, key, value;  // Q (0: no queries, one row for all of a sentence), K, D
};

struct FeatureWiseAttention : Module {
  static constexpr About about{
      .names = {"A15", "feature_wise", "multi-dimensional attention", "DiSAN"},
      .formula =
          "e_ts = c tanh((W q_t + U k_s + b) / c), a score for each feature;  w_tsd = softmax of e_tsd over s,  c_td = "
          "sum_s w_tsd v_sd",
      .paper = {"Shen et al., AAAI 2018", 2018, 2},
      .idea =
          "Every feature of a value has a weight of its own. So a word can give its number to one feature and its "
          "tense to another. If all features of a key have the same score, it is ordinary attention.",
      .wrong = "The softmax runs over the keys, for each feature apart, and not over the features.",
      .shapes = "q [B, T, Q], k [B, S, K], v [B, S, D] -> c [B, T, D], w [B, T, S, D]",
      .cost = "2 B T S D exponentials, all kept for the backward pass; D (Q + K + 1) parameters",
      .own = {"keys_may_be_permuted", "queries_may_be_permuted", "constant_values_are_read",
              "tied_features_are_ordinary_attention", "features_are_weighed_apart"},
      .cases = "FeatureWiseAttention",
      .more = "the vector of --context every_step, and the decoder's first state",
  };

  using Options = FeatureWiseOptions;
  FeatureWiseAttention(const Options& options, Generator& rng);
  // q [B, T, Q] or undefined (T = 1), k [B, S, K], v [B, S, D], allowed bool, broadcastable to [B, T, S] -> context [B,
  // T, D], weights [B, T, S, D]. A query that may not attend to any key gets 0. ShapeError for values of another width.
  Attended operator()(const Variable& q, const Variable& k, const Variable& v, const Tensor& allowed = {}) const;
  void visit(Visitor& visitor) {
    if (query) visitor.child("query", *query);
    visitor.child("key", key);
  }
  Options options;
  std::optional<Linear> query;  // W, without a bias
  Linear key;                   // U with b
};

}  // namespace heed::nn
