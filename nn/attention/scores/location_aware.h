// The location-aware score (Chorowski et al., NeurIPS 2015, section 2.2): attention also knows
// which keys had the weights of the previous step. In speech many frames sound alike, and the right one to read next is
// the one after those that have been read already.
//
//   f_s = sum_j F_j a_(s + j - J / 2)                    f [S, N]: a convolution of the weights of the step before
//   e_ts = v^T tanh(W q_t + V k_s + U f_s + b)
//
// a is the weights of the last query, or with `cumulative` the sum of those of all queries so far (as in
// Tacotron 2, Shen et al., ICASSP 2018). Before the first query a = 0, so the first score is the additive one. (A
// uniform a would state that every word has been read a little, and its convolution would differ at the borders of the
// source.) Beyond both ends of the source a = 0. With U = 0 every score is the additive one.
//
// It is sequential: attention calls it for one query at a time, in training too. Each head has its own a; all heads
// share F, U, V, W and v. Cost per step: B S (J N + N A + A) multiply-adds; the keys are projected once per sentence.
// N filters of J weights, A hidden width.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct LocationAwareScore final : Score {
  using Options = ScoreOptions;
  LocationAwareScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // -> [.., S, A]
  Variable scores(const Variable& query, const Variable& prepared, StageContext& context) const override;
  Variable features(const Variable& previous) const;  // a [B, S] -> f [B, S, N]
  bool sequential() const override { return true; }
  void visit(Visitor& visitor) override {
    visitor.child("query", query);
    visitor.child("key", key);
    visitor.parameter("filters", filters);
    visitor.child("location", location);
    visitor.parameter("v", v);
  }
  Options options;
  Linear query, key;  // W without a bias, V with b
  Variable filters;   // F [N, J]
  Linear location;    // U, without a bias
  Variable v;         // [A]
};

}  // namespace heed::nn
