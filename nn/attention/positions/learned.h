// Learned absolute positions: a table with one row per position, trained like a word embedding (Gehring et al., ICML
// 2017; Vaswani et al., NeurIPS 2017, section 3.5, found them as good as sinusoids).
//
//   y[b, t] = x[b, t] + W[first + t]        W [P, D]
//
// Only the rows of positions that occur in training get a gradient. Rows beyond the longest training sentence keep
// their initial values, and a position beyond the table has no row at all.
#pragma once

#include "nn/attention/positions/embedding_position.h"

namespace heed::nn {

struct LearnedPositions final : EmbeddingPosition {
  struct Options {
    int64_t positions, width;  // P, D
    double std = 0.02;         // the initial values are drawn from N(0, std^2)
  };
  LearnedPositions(const Options& options, Generator& rng);
  Variable operator()(const Variable& x, int64_t first = 0) const override;  // IndexError for a position >= P
  Variable operator()(const Variable& x, const Tensor& places) const override;
  int64_t limit() const override { return options.positions; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [P, D]
};

}  // namespace heed::nn
