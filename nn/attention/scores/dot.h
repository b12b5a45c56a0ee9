// Dot products of query and key, without parameters (Luong, section 3.1; Vaswani, eq. 1). If the entries are
// independent with variance 1, the dot product has the variance K: wide queries give large scores, for which the
// softmax is almost one-hot and its gradient almost 0.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct DotScore final : Score {
  static constexpr About about{
      .names = {"A1", "dot", "Luong dot", "multiplicative"},
      .formula = "e = q . k",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "The score is the sum of the products of matching entries of query and key. It is large where the two "
          "vectors are long and point in the same direction. There is nothing to learn in it, so the model has to make "
          "its queries and keys comparable.",
      .wrong =
          "Queries and keys must have the same width. If encoder and decoder have the same hidden size and the encoder "
          "reads in both directions, its outputs are twice as wide as the decoder's state.",
      .shapes = "q [B, T, K], k [B, S, K] -> e [B, T, S]",
      .cost = "B T S K products; no parameters",
      .own = {"linear_in_the_query"},
      .default_for = {Role::unscaled_head, Role::learned_query},
  };

  using Options = ScoreOptions;
  DotScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  std::optional<double> product_scale() const override { return 1; }
  bool any_width() const override { return true; }
  Options options;
};

struct ScaledDotScore final : Score {
  static constexpr About about{
      .names = {"A2", "scaled_dot", "scaled dot product"},
      .formula = "e = q . k / sqrt(K)",
      .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
      .idea =
          "The dot product is divided by the square root of the width, so scores have the same size for every width. "
          "The products of random vectors grow with that root. Without the division a wide model begins with weights "
          "that are nearly one-hot and have hardly any gradient.",
      .wrong =
          "K is the width of one head and not the width of the model. Some programs divide twice, once the queries and "
          "once the scores.",
      .shapes = "q [B, T, K], k [B, S, K] -> e [B, T, S]",
      .cost = "B T S K products; no parameters",
      .own = {"variance_stays_one", "width_one_is_dot", "scaling_both_is_a_temperature"},
      .default_for = {Role::head},
  };

  using Options = ScoreOptions;
  ScaledDotScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  std::optional<double> product_scale() const override;
  bool any_width() const override { return true; }
  Options options;
  int64_t widened = 1;  // how many times as wide as K a position has made queries and keys; the root is that of K
};

// q k^T, on the last two axes: [.., T, K], [.., S, K] -> [.., T, S]
Variable inner_products(const Variable& query, const Variable& keys);

}  // namespace heed::nn
