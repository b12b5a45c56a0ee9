// Contextual position encoding, CoPE: the words decide what counts as a step back. e is [P + 1, K], the same for all
// heads.
//
// p is not a whole number, so q . e is interpolated between the two next to it: (1 - f) q . e[n] + f q . e[n + 1] with
// n = floor p, f = p - n. With gates of 1, p is the distance plus 1, and this is a learned vector for each distance;
// with gates that open at the ends of sentences, it counts sentences. A key that the query may not attend to is not
// counted. In an encoder (not in the paper) the words after the query are counted too, so p is a place from the end.
// Unlike the paper's, the gates are scaled by 1 / sqrt(K), and the authors' program also scales q . e. H heads, K width
// of a head, T queries, S keys, P the largest position.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_scores.h"

namespace heed::nn {

// Queries [B, H, T, K], gates [B, H, T, S], 0 for words that are not counted, table [P + 1, K] -> q .
// e[p], [B, H, T, S]
Variable contextual_bias(const Variable& queries, const Variable& gates, const Variable& table);

struct ContextualPosition final : HeadPosition, ReadsScores {
  struct Settings {
    int64_t positions = 16;
    void fields(OptionFields& f) {
      f("positions", positions, "P, the largest position; what is farther away has this one", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"F11e", "contextual", "CoPE", "contextual position encoding"},
      .formula =
          "e_ts = q_t . k_s / sqrt(K) + q_t . e[p_ts],  p_ts = min(sum_(r >= s) sigmoid(q_t . k_r / sqrt(K)), P)",
      .paper = {"Golovneva, Wang, Weston and Sukhbaatar, 2024 (arXiv 2405.18719)", 2024, 4},
      .idea =
          "Each query decides how much it counts each earlier word, by a gate between 0 and 1. The position of a word "
          "is the sum of the gates between it and the query, so a head can count sentences or verbs as well as words. "
          "The position is no whole number, and its vector is a mixture of the two vectors next to it.",
      .wrong =
          "The sum runs over the words between the key and the query, both included. A position above the largest one "
          "must be cut off before it is used as an index.",
      .shapes = "e [B, H, T, S] -> [B, H, T, S]",
      .cost = "beside multi-head attention T (P + 1) K + 2 T S products per head; (P + 1) K more parameters",
      .own = {"open_gates_count_words", "positions_are_interpolated", "counts_as_the_formula",
              "cache_is_the_parallel_pass"},
  };

  ContextualPosition(const HeadPositionOptions& options, Generator& rng);
  bool has_bias() const override { return true; }
  bool needs_product() const override { return true; }
  Variable bias_of_scores(const Variable& scores, const Variable& queries, const Tensor& allowed) const override;
  void visit(Visitor& v) override { v.parameter("positions", positions); }
  Variable positions;  // e [P + 1, K]
};

}  // namespace heed::nn
