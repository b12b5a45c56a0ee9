// The location-aware score (section 2.2 of the paper): the score of a key also depends on the weights that the previous
// step gave to it and its neighbours.
//
//   f_s = sum_j F_j a_(s + j - J / 2)                    f [S, N]: a convolution of the weights of the step before
//
// a is the weights of the last query, or with `cumulative` the sum of those of all queries so far (as in Tacotron 2,
// Shen et al., ICASSP 2018). Before the first query a = 0, so the first score is the additive one. (A uniform a would
// state that every word has been read a little, and its convolution would differ at the borders of the source.) Beyond
// both ends of the source a = 0. With U = 0 every score is the additive one.
//
// Each head has its own a; all heads share F, U, V, W and v. N filters of J weights, A hidden width.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct LocationAwareScore final : Score {
  struct Settings {
    int64_t width = 0;
    int64_t filters = 10;
    int64_t kernel = 31;
    int64_t cumulative = 0;
    void fields(OptionFields& f) {
      f("width", width, "width of the hidden layer; 0: as the query", {0, 16384});
      f("filters", filters, "N, of the convolution", {1, 16384});
      f("kernel", kernel, "J, weights that a filter reads", {1, 16383});
      f("cumulative", cumulative, "1: read the sum of all weights so far, 0: those of the last query", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"A9", "location_aware", "convolutional location", "hybrid attention"},
      .formula = "e = v . tanh(W q + V k + U f + b),  f = conv(weights of the step before)",
      .paper = {"Chorowski et al., NeurIPS 2015", 2015, 2},
      .idea =
          "The score also depends on the weights of the previous step, through a small convolution over them. So the "
          "model can learn to move on by one position, or to stay. It was made for speech, in which many short pieces "
          "of sound are alike.",
      .wrong =
          "The weights before the first step must be defined; here they are 0. If the sum of all earlier weights takes "
          "the place of those of the last step, it is another model.",
      .shapes = "q [B, 1, Q], k [B, S, K], F [N, J], W [A, Q], V [A, K], U [A, N], b [A], v [A] -> e [B, 1, S]",
      .cost = "B S (J N + N A + A) a query, one after the other; A (Q + K + N + 2) + N J parameters",
      .own = {"without_location_is_additive", "the_score_follows_the_weights", "the_sum_or_the_last_is_read",
              "heads_have_their_own_past"},
      .exempt = {{"keys_may_be_permuted", "neighbours of what was read count: the order of the keys is read"},
                 {"queries_may_be_permuted", "a query reads the weights of the one before"}},
      .tried = "location_aware:filters=2,kernel=3",
  };

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
  Settings settings;
  Linear query, key;  // W without a bias, V with b
  Variable filters;   // F [N, J]
  Linear location;    // U, without a bias
  Variable v;         // [A]
};

}  // namespace heed::nn
