// The location-aware score (Chorowski et al., NeurIPS 2015, section 2.2, eq. 8 and 9): attention knows where it looked
// the step before. In speech many frames sound alike; the one to read next stands after those read already.
//
//   f_s = sum_j F_j a_(s + j - J / 2)                    f [S, N]: a convolution of the weights of the step before
//   e_ts = v^T tanh(W q_t + V k_s + U f_s + b)
//
// a is the weights of the last query, or with `cumulative` the sum of those of all queries so far (Tacotron 2, Shen et
// al., ICASSP 2018, reads both). Before the first query a = 0: the score is additive there. A uniform a, the other
// choice, would claim words that nobody read, and its convolution would tell the borders from the middle. Outside of
// the source a = 0. With U = 0 the score is the additive one.
//
// It is sequential: attention calls it for one query at a time, in training too. With heads each has its own a; F, U,
// V, W and v are shared. N filters of J weights, A the hidden width. Cost a step: B S (J N + N A + A), keys are
// projected once a sentence.
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
