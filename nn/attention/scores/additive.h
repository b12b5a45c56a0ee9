// The additive score (section 3.1 of the paper, appendix A.1.2): a small network with one hidden layer of width A
// computes the score of each pair of query and key. The tanh and the product with v are one operation that never stores
// [B, T, S, A] (additive_score.h).
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct AdditiveScore final : Score {
  struct Settings {
    int64_t width = 0;
    void fields(OptionFields& f) {
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
    }
  };
  static constexpr About about{
      .names = {"A5", "additive", "Bahdanau", "MLP"},
      .formula = "e = v . tanh(W q + U k + b)",
      .paper = {"Bahdanau, Cho and Bengio, ICLR 2015", 2015, 1},
      .idea =
          "A small network with one hidden layer takes a query and a key together and computes how well they match. "
          "The query and the key may have different widths, since each has a matrix of its own. Because of the tanh "
          "the absolute value of a score is at most the sum of the absolute output weights.",
      .wrong =
          "The query is the decoder's previous state, not the new one. The projection of the keys is computed once per "
          "sentence, not once per step.",
      .shapes = "q [B, T, Q], k [B, S, K], W [A, Q], U [A, K], b [A], v [A] -> e [B, T, S]",
      .cost = "B T S A evaluations of tanh; A (Q + K + 2) parameters",
      .own = {"bounded_by_v", "zero_v_is_uniform"},
      .default_for = {Role::stage},
  };

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
  int64_t width;      // A
  Linear query, key;  // W without a bias, U with b
  Variable v;         // [A]
};

// additive_score of q [.., T, A] and keys [.., S, A]; the head axis, if any, is merged into the batch axis.
Variable additive_scores(const Variable& q, const Variable& keys, const Variable& v);

}  // namespace heed::nn
