// The reduced-rank score: `general` with a matrix of low rank (low-rank bilinear pooling: Kim et al., ICLR 2017).
//
//   e_ts = (V q_t) . (U k_s)        V [R, Q], U [R, K]: W = V^T U has a rank of at most R
//
// It has R (Q + K) parameters in place of Q K. The score of one head of a transformer is this score with R equal to the
// width of a head, divided by sqrt(R).
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct ReducedRankScore final : Score {
  using Options = ScoreOptions;
  ReducedRankScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // U k_s: [B, S, K] -> [B, S, R]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;
  Variable prepare_query(const Variable& query) const override;  // V q_t
  std::optional<double> product_scale() const override { return 1; }
  void visit(Visitor& v) override {
    v.child("query", query);
    v.child("key", key);
  }
  Options options;
  Linear query, key;  // V, U, without biases
};

}  // namespace heed::nn
