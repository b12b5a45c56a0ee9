// Dot products of query and key, without parameters.
//
//   dot     e_ts = q_t . k_s                   Luong, Pham and Manning, EMNLP 2015, section 3.1
//   scaled  e_ts = q_t . k_s / sqrt(K)         Vaswani et al., NeurIPS 2017, eq. 1
//
// Queries and keys must have the same width K. If their entries are independent with variance 1, the dot product has
// the variance K: wide queries give large scores, for which the softmax is almost one-hot and its gradient almost 0.
// Dividing by sqrt(K) makes the variance 1 for any width.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct DotScore final : Score {
  using Options = ScoreOptions;
  DotScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  std::optional<double> product_scale() const override { return 1; }
  bool any_width() const override { return true; }
  Options options;
};

struct ScaledDotScore final : Score {
  using Options = ScoreOptions;
  ScaledDotScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  std::optional<double> product_scale() const override;
  bool any_width() const override { return true; }
  Options options;
};

// q k^T, on the last two axes: [.., T, K], [.., S, K] -> [.., T, S]
Variable inner_products(const Variable& query, const Variable& keys);

}  // namespace heed::nn
