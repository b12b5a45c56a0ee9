// The score concat (section 3.1 of the paper): additive (additive.h) with one matrix for query and key.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct ConcatScore final : Score {
  struct Settings {
    int64_t width = 0;
    void fields(OptionFields& f) {
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
    }
  };
  static constexpr About about{
      .names = {"A4", "concat", "Luong concat"},
      .formula = "e = v . tanh(W [q; k])",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "Query and key are joined into one vector, which passes through one hidden layer. It is additive attention "
          "with the two matrices written as one, and without a bias. Luong and colleagues report that it did not work "
          "well for them.",
      .wrong =
          "Without a bias the score of -q and -k is minus the score of q and k. So a key and its opposite cannot both "
          "get high scores from the queries that match them.",
      .shapes = "q [B, T, Q], k [B, S, K], W [A, Q + K], v [A] -> e [B, T, S]",
      .cost = "B T S A evaluations of tanh; A (Q + K + 1) parameters",
      .own = {"is_additive_with_one_matrix"},
  };

  using Options = ScoreOptions;
  ConcatScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;                                           // -> [B, S, A]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;  // -> [B, T, S]
  void visit(Visitor& visitor) override {
    visitor.parameter("weight", weight);
    visitor.parameter("v", v);
  }
  Options options;
  int64_t width;       // A
  Variable weight, v;  // W [A, Q + K], the first Q columns are for the query; v [A]
};

}  // namespace heed::nn
