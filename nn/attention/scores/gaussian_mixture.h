// The window of Gaussians (Graves, "Generating sequences with recurrent neural networks", 2013, arXiv 1308.0850, eq. 46
// to 51), the first soft attention: it reads around places of the source that only move forward.
//
//   a_ts = sum_m w_tm exp(-b_tm (kappa_tm - s)^2)          e_ts = log a_ts,   s = 1 .. S
//   (log w_t, log b_t, log step_t) = W q_t + b             M components
//   kappa_t = kappa_(t-1) + step_t,   kappa_0 = 0          steps are positive: it never goes back
//
// The keys are not read: the query says how far to move, not what to look for. Graves reads with a itself, whose rows
// may have any sum: --normaliser exponential. Under a softmax the rows are normalised, as later models of speech do
// (Battenberg et al., ICASSP 2020). kappa must add up from query to query. It depends on the queries alone, but the
// state of the sequence keeps it, so that a decoder that goes step by step has it too. The logarithms of b and of the
// step are limited to [-20, 20], beyond which exp would only overflow.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct GaussianMixtureScore final : Score {
  using Options = ScoreOptions;
  GaussianMixtureScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  bool sequential() const override { return true; }  // it needs the state, from the first query on
  void visit(Visitor& v) override { v.child("window", window); }
  Linear window;  // W [3 M, Q], b
};

}  // namespace heed::nn
