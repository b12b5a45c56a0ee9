// Additive scores: a small network with one hidden layer of width A computes the score of each pair of query and key.
//
// clang-format off
//   additive  e_ts = v^T tanh(W q_t + U k_s + b)    the first of translation (Bahdanau, Cho and
//                                                   Bengio, ICLR 2015, section 3.1, appendix A.1.2)
//   concat    e_ts = v^T tanh(W [q_t; k_s])         Luong, Pham and Manning, EMNLP 2015, section
//                                                   3.1: one matrix for both, without a bias
// clang-format on
//
// U k_s does not depend on the query, so it is computed once per sentence (`prepare`) and not once per step. The tanh
// and the product with v are one operation that never stores [B, T, S, A] (additive_score.h). |e_ts| <= sum |v|.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct AdditiveScore final : Score {
  using Options = ScoreOptions;
  AdditiveScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;                                           // -> [B, S, A]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;  // -> [B, T, S]
  void visit(Visitor& visitor) override {
    visitor.child("query", query);
    visitor.child("key", key);
    visitor.parameter("v", v);
  }
  Options options;
  Linear query, key;  // W without a bias, U with b
  Variable v;         // [A]
};

struct ConcatScore final : Score {
  using Options = ScoreOptions;
  ConcatScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;                                           // -> [B, S, A]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;  // -> [B, T, S]
  void visit(Visitor& visitor) override {
    visitor.parameter("weight", weight);
    visitor.parameter("v", v);
  }
  Options options;
  Variable weight, v;  // W [A, Q + K], the first Q columns are for the query; v [A]
};

}  // namespace heed::nn
