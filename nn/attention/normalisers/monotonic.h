// Monotonic attention (Raffel, Luong, Liu, Weiss and Eck, ICML 2017, section 2.3): the decoder walks along the source
// from left to right and never goes back. At each key it decides by a coin whether to stop there. The next query
// continues where the last one stopped, so a whole sentence costs one walk, and a translation can begin before the
// source has ended.
//
//   p_ts = sigmoid(e_ts + r)                                          the probability to stop at key s
//   alpha_ts = p_ts sum_{k <= s} alpha_{t-1,k} prod_{l=k}^{s-1} (1 - p_tl)            (alpha_0 = [1, 0, 0, ..])
//
// alpha_ts is the probability that query t stops at key s. In training it stands in for the choice, as its
// expectation. A row may sum to less than 1: the rest is the probability that the walk has run off the end, where it
// stays. The paper divides by a running product of (1 - p), which becomes 0. Here each product of the sum is the
// exponential of its own sum of log(1 - p) = -softplus(e + r), so nothing is divided and nothing cancels. That costs
// S^2 numbers per query.
//
// In evaluation `hard` walks instead of averaging: stop at the first key from the last stop on whose p is above 1/2;
// where there is none, the context is 0, now and at all later queries. With p rounded to 0 or 1, alpha is that walk.
//
// MoChA, monotonic chunkwise attention (Chiu and Raffel, ICLR 2018, section 2.3), looks back from where it stopped at
// the last w keys and takes a softmax of them. A chunk of 1 is monotonic attention.
//
//   beta_ts = sum_{k=s}^{s+w-1} alpha_tk exp(u_ts) / sum_{l=k-w+1}^{k} exp(u_tl)
//
// The paper learns a second score u for the chunk; a pipeline has one score, so u = e here. A masked key has p = 0 and
// no share of a chunk. r is learned and begins at the setting `offset`; it is the paper's offset of the energies, whose
// other part, the normed v, is a matter of the score. `noise` is the deviation of the normal noise that training adds
// to e; it teaches the model to give p near 0 or 1. Both are sequential: alpha_{t-1} comes from AlignmentState.
// B batch, T queries, S keys, w width of a chunk.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct MonotonicNormaliser : Normaliser {
  using Options = NormaliserOptions;
  MonotonicNormaliser(const Options& options, Generator& seeds);
  bool sequential() const override { return true; }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override {
    v.parameter("offset", offset);
    v.generator("generator", rng);
  }
  Variable offset;  // r [1]
  double noise;
  bool hard;
  mutable Generator rng;

 protected:
  Variable weights(const Variable& scores, StageContext& context) const override { return alignment(scores, context); }
  // alpha [.., T, S] of queries in order, the first after context.state; the last row is kept there.
  Variable alignment(const Variable& scores, StageContext& context) const;

 private:
  Variable after(const Variable& before, const Variable& scores) const;  // alpha of one query, [.., 1, S] each
};

struct MochaNormaliser final : MonotonicNormaliser {
  MochaNormaliser(const Options& options, Generator& seeds);
  int64_t chunk;  // w

 protected:
  Variable weights(const Variable& scores, StageContext& context) const override;
};

}  // namespace heed::nn
