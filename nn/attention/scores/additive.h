// Additive scores: a small network with one hidden layer of width A is asked, for every pair of query and key.
//
//   additive  e_ts = v^T tanh(W q_t + U k_s + b)     the first attention (Bahdanau, Cho and Bengio, ICLR 2015, section
//                                                    3.1 and appendix A.1.2)
//   concat    e_ts = v^T tanh(W [q_t; k_s])          Luong, Pham and Manning, EMNLP 2015, eq. 8: the same with one
//                                                    matrix for both, and no bias
//
// U k_s does not depend on the query: it is projected once a sentence (`prepare`), not once a step. The score of the
// two sums is one operation that never holds [B, T, S, A] (additive_score.h). |e_ts| <= sum |v|.
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
  Variable weight, v;  // [A, Q + K]: first the columns of the query; [A]
};

}  // namespace heed::nn
