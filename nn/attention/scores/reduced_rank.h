// The reduced-rank score: `general` with a matrix of low rank, V^T U of rank at most R, and R (Q + K) parameters in
// place of Q K.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct ReducedRankScore final : Score {
  struct Settings {
    int64_t width = 0;
    void fields(OptionFields& f) { f("width", width, "R, the rank; 0: the query width", {0, 16384}); }
  };
  static constexpr About about{
      .names = {"A6", "reduced_rank", "multiplicative of low rank"},
      .formula = "e = (V q) . (U k)",
      .paper = {"Kim et al., ICLR 2017 (bilinear pooling of low rank)", 2017, 1},
      .idea =
          "Query and key are both projected to a few numbers, and the dot product is taken there. This is the general "
          "score with a matrix of low rank. One head of a transformer computes the same score, divided by the root of "
          "the rank, which is the width of the head.",
      .wrong = "If the score is scaled, the divisor is the root of the rank and not of the full width.",
      .shapes = "q [B, T, Q], k [B, S, K], V [R, Q], U [R, K] -> e [B, T, S]",
      .cost = "B T S R products; R (Q + K) parameters",
      .own = {"is_general_of_low_rank", "is_one_head_times_root"},
  };

  using Options = ScoreOptions;
  ReducedRankScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // U k_s: [B, S, K] -> [B, S, R]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;
  Variable prepare_query(const Variable& query) const override;  // V q_t
  std::optional<double> product_scale() const override { return 1; }
  void visit(Visitor& v) override {
    v.child("query", query);
    v.child("key", key);
  }
  Options options;
  int64_t rank;       // R
  Linear query, key;  // V, U, without biases
};

}  // namespace heed::nn
