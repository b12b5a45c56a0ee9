// Products of query and key, without a parameter.
//
//   dot     e_ts = q_t . k_s                   Luong, Pham and Manning, EMNLP 2015, eq. 8
//   scaled  e_ts = q_t . k_s / sqrt(K)         Vaswani et al., NeurIPS 2017, eq. 1
//
// Both need queries as wide as the keys. For independent entries of variance 1 the product of K pairs has the variance
// K: the wider, the larger the scores, until the softmax is a hard choice without gradient. The root takes that away.
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

// q k^T over the last two axes: [.., T, K], [.., S, K] -> [.., T, S]
Variable inner_products(const Variable& query, const Variable& keys);

}  // namespace heed::nn
