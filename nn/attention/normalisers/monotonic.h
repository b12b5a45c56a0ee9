// Monotonic attention (Raffel et al., section 2.3): the decoder walks along the source and never goes back, so a whole
// sentence costs one walk, and a translation can begin before the source has ended.
//
//   p_ts = sigmoid(e_ts + r)                                          the probability to stop at key s
//   alpha_ts = p_ts sum_{k <= s} alpha_{t-1,k} prod_{l=k}^{s-1} (1 - p_tl)            (alpha_0 = [1, 0, 0, ..])
//
// In training, alpha_ts, the probability that query t stops at key s, replaces the choice by its expectation. The rest
// of a row is the probability that the walk has run off the end, where it stays. The paper divides by a running product
// of (1 - p), which becomes 0. Here each product of the sum is the exponential of its own sum of log(1 - p) =
// -softplus(e + r), so nothing is divided and nothing cancels. That costs S^2 numbers per query.
//
// In evaluation `hard` walks instead of averaging: stop at the first key from the last stop on whose p is above 1/2;
// where there is none, the context is 0, now and at all later queries. With p rounded to 0 or 1, alpha is that walk.
//
// A masked key has p = 0. r is the paper's offset of the energies, whose other part, the normed v, is a matter of the
// score. The noise teaches the model to give p near 0 or 1. It is sequential: alpha_{t-1} comes from AlignmentState.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct MonotonicNormaliser : Normaliser {
  struct Settings {
    double offset = -1;
    double noise = 0;
    int64_t hard = 0;
    void fields(OptionFields& f) {
      f("offset", offset, "r, added to the scores; learned from this value on", {-10000, 10000});
      f("noise", noise, "deviation of the noise on the scores in training; 1 in the paper", {0, 10000});
      f("hard", hard, "1: in evaluation, stop at the first key with p > 1/2", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"D3", "monotonic", "hard monotonic attention", "online attention"},
      .family = "alignment processes",
      .formula = "alpha_ts = p_ts sum_{k <= s} alpha_{t-1,k} prod_{l=k}^{s-1} (1 - p_tl),  p = sigmoid(e + r)",
      .paper = {"Raffel et al., ICML 2017", 2017, 2},
      .idea =
          "The decoder walks along the source and decides at each word whether to stop there. The next step continues "
          "where the last one stopped, so it never reads backwards. Training uses the probability of every stop, and "
          "after training the walk may stop at the first word whose probability is above one half.",
      .wrong =
          "The rows need not sum to one. The formula of the paper that divides by a running product fails where that "
          "product becomes zero.",
      .shapes = "e [.., T, S] -> w [.., T, S]",
      .cost = "B T S^2 exponentials; one query at a time",
      .own = {"golden_alignment", "alignment_sums_over_all_walks", "certain_stops_are_the_hard_walk",
              "walks_never_go_back", "the_walk_is_kept_for_the_next_query"},
      .exempt = {{"constant_values_are_read", "the rows do not sum to 1"},
                 {"keys_may_be_permuted", "the walk passes the keys in their order"},
                 {"mask_is_minus_infinity", "a score of -1e12 is a probability of 0 to stop, with a mask or without"},
                 {"queries_may_be_permuted", "each query goes on where the one before has stopped"},
                 {"rows_sum_to_one",
                  "the rest of a row is the probability that the walk has run off the end of the source"}},
  };

  using Options = NormaliserOptions;
  MonotonicNormaliser(const Options& options, Generator& seeds);
  bool sequential() const override { return true; }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override {
    v.parameter("offset", offset);
    v.generator("generator", rng);
  }
  Settings settings;
  Variable offset;  // r [1]
  mutable Generator rng;

 protected:
  Variable weights(const Variable& scores, StageContext& context) const override { return alignment(scores, context); }
  // alpha [.., T, S] of queries in order, the first after context.state; the last row is kept there.
  Variable alignment(const Variable& scores, StageContext& context) const;

 private:
  Variable after(const Variable& before, const Variable& scores) const;  // alpha of one query, [.., 1, S] each
};

// [S, S] bool: true where the column minus the row is in [least, most].
Tensor band(int64_t S, int64_t least, int64_t most);

}  // namespace heed::nn
