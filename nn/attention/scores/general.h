// The general, or bilinear, score (section 3.1 of the paper).
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct GeneralScore final : Score {
  static constexpr About about{
      .names = {"A3", "general", "bilinear", "Luong general"},
      .formula = "e = q W k",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "A learned matrix maps each key into the space of the queries before the dot product is taken. So queries "
          "and keys may have different widths and different meanings. The product of the matrix with the keys is "
          "computed once per sentence.",
      .wrong = "A transposed matrix goes unnoticed if both widths are equal. A test must use two different widths.",
      .shapes = "q [B, T, Q], k [B, S, K], W [Q, K] -> e [B, T, S]",
      .cost = "B S Q K products once per sentence, then B T S Q; Q K parameters",
      .own = {"identity_is_dot", "weight_gradient_is_a_sum_of_outer_products"},
  };

  using Options = ScoreOptions;
  GeneralScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // W k_s: [B, S, K] -> [B, S, Q]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;
  std::optional<double> product_scale() const override { return 1; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [Q, K]
};

}  // namespace heed::nn
