// Normed additive attention (weight normalisation, eq. 2; in attention: the `normed_bahdanau` of TensorFlow's
// translation tutorial, and Raffel, section 2.4). The scale of the scores can change fast while v keeps its direction.
// With g = |v| and r = 0 it is the additive score. Under a sigmoid r decides how much is read at all; monotonic
// attention begins with r = -4, so that it begins by reading little. g begins at 1 / sqrt(A).
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct NormedAdditiveScore final : Score {
  struct Settings {
    int64_t width = 0;
    double offset = 0;
    void fields(OptionFields& f) {
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
      f("offset", offset, "the initial r", {-100, 100});
    }
  };
  static constexpr About about{
      .names = {"A17", "normed_additive", "normed Bahdanau"},
      .formula = "e = g v . tanh(W q + U k + b) / |v| + r",
      .paper = {"Salimans and Kingma, NIPS 2016; Raffel et al., ICML 2017", 2016, 2},
      .idea =
          "The output vector of additive attention is split into a direction and a length that are learned apart. An "
          "offset is added to all scores. Monotonic attention needs both, since each of its scores is a decision of "
          "its own.",
      .wrong =
          "The offset r changes nothing under a softmax. It is needed where each score becomes a probability by "
          "itself, by a sigmoid.",
      .shapes = "q [B, T, Q], k [B, S, K], W [A, Q], U [A, K], b [A], v [A], g, r [] -> e [B, T, S]",
      .cost = "B T S A evaluations of tanh; A (Q + K + 2) + 2 parameters",
      .own = {"is_additive_of_length_g", "the_offset_counts_without_a_softmax"},
  };

  using Options = ScoreOptions;
  NormedAdditiveScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // -> [.., S, A]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;
  void visit(Visitor& visitor) override {
    visitor.child("query", query);
    visitor.child("key", key);
    visitor.parameter("v", v), visitor.parameter("g", g), visitor.parameter("r", r);
  }
  Settings settings;
  int64_t width;      // A
  Linear query, key;  // W without a bias, U with b
  Variable v, g, r;   // [A], [], []
};

}  // namespace heed::nn
