// Queries and keys of one length, that of mean square 1, with a learned weight w [K], 1 at first, one for queries and
// one for keys: the norm of Qwen 3 and Gemma 3. Earlier forms of the idea have other formulas. Henry et al. (EMNLP
// Findings 2020) divide by the length and multiply the cosine by one learned number: the score cosine (A7). Dehghani et
// al. (ICML 2023) take LayerNorm, which also subtracts the mean.
#pragma once

#include <optional>

#include "nn/attention/around/around.h"
#include "nn/norm.h"

namespace heed::nn {

struct QueryKeyNorm final : Around {
  static constexpr About about{
      .names = {"H2", "query_key_norm", "QK-norm"},
      .formula = "q <- w q / sqrt(mean q^2 + eps), and k in the same way, in each head",
      .paper = {"Qwen 3, 2025 (arXiv 2505.09388); Gemma 3, 2025 (arXiv 2503.19786)", 2025, 1},
      .idea =
          "Queries and keys are scaled to one length before they are compared. So large projection matrices cannot "
          "make the scores large. A learned factor for each entry lets the model choose the scale.",
      .wrong =
          "The norm is applied to each head separately, and before rotary positions. The norms of the first papers are "
          "others: the length alone with one learned factor, or LayerNorm.",
      .shapes = "[B, T, H, K] -> [B, T, H, K]",
      .cost = "4 K operations per query and key; 2 K parameters",
      .own = {"length_of_queries_and_keys_does_not_count"},
      .cases = "MultiHeadAttention",
  };
  static constexpr const char* help = "normalise the queries and keys of each head";

  QueryKeyNorm(const AroundOptions& o, Generator& rng) : of_queries({.shape = {o.width()}}, rng) {
    if (o.own_keys) of_keys.emplace(RMSNorm::Options{.shape = {o.width()}}, rng);
  }
  Variable queries(const Variable& q) const override { return of_queries(q); }
  Variable keys(const Variable& k) const override { return (*of_keys)(k); }
  void visit(Visitor& v) override {
    v.child("q_norm", of_queries);
    if (of_keys) v.child("k_norm", *of_keys);
  }
  RMSNorm of_queries;
  std::optional<RMSNorm> of_keys;  // not in a layer that reads the keys of another
};

}  // namespace heed::nn
