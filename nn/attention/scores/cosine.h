// The cosine score, or content addressing ("Neural Turing Machines", eq. 5 and 6), of queries and keys of the same
// width. eps = 1e-6; |e_ts| <= beta. The QK-norm of Henry et al. (EMNLP Findings 2020) is this score with a learned
// factor.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct CosineScore final : Score {
  struct Settings {
    double sharpness = 1;
    void fields(OptionFields& f) { f("sharpness", sharpness, "the initial beta", {1e-6, 1e6}); }
  };
  static constexpr About about{
      .names = {"A7", "cosine", "content addressing", "QK-norm"},
      .formula = "e = beta q . k / (|q| |k| + eps),  beta = softplus(raw)",
      .paper = {"Graves, Wayne and Danihelka, 2014 (arXiv 1410.5401)", 2014, 1},
      .idea =
          "The score compares directions and ignores how long the vectors are. A learned positive factor, beta, limits "
          "how sharp the weights may become. Neural Turing machines use it to find memory cells by their content.",
      .wrong =
          "A cosine lies between -1 and 1, so without the factor beta no weight can be more than e^2 = 7.4 times "
          "another. Beta must stay positive.",
      .shapes = "q [B, T, K], k [B, S, K] -> e [B, T, S]",
      .cost = "B T S K products; 1 parameter",
      .own = {"length_of_a_key_does_not_count", "bounded_by_beta", "zero_beta_is_uniform"},
  };

  using Options = ScoreOptions;
  CosineScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  bool keeps_rotations() const override { return true; }
  Variable beta() const;  // []
  void visit(Visitor& v) override { v.parameter("raw_beta", raw_beta); }
  Options options;
  Variable raw_beta;  // []
};

}  // namespace heed::nn
