// Learned absolute positions: a table with a row for every position, learned like an embedding (Gehring et al., ICML
// 2017; Vaswani et al., NeurIPS 2017, section 3.5, found them as good as sinusoids).
//
//   y[b, t] = x[b, t] + W[first + t]        W [P, D]
//
// Only the rows of positions that were seen get a gradient: what lies beyond the longest sentence of the training
// stays as it was made, and a position beyond the table has no row at all.
#pragma once

#include "nn/module.h"

namespace heed::nn {

struct LearnedPositions : Module {
  struct Options {
    int64_t positions, width;  // P, D
    double std = 0.02;         // of the initial values, N(0, std^2)
  };
  LearnedPositions(const Options& options, Generator& rng);
  Variable operator()(const Variable& x, int64_t first = 0) const;     // IndexError beyond the table
  Variable operator()(const Variable& x, const Tensor& places) const;  // [B, T] i64: a position for each word
  void visit(Visitor& v) { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [P, D]
};

}  // namespace heed::nn
