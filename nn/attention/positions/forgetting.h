// Forgetting attention ("Forgetting transformer"): softmax attention with a forget gate f [H], for s <= t.
//
// The logarithm of a word's gate is its mark (reads_words.h), so a cache has the gates of earlier words beside their
// keys. Each sum is computed from its own terms (segment_sums.h, T S additions for each head). The paper subtracts
// running sums, which needs T + S but loses the digits of weak gates after strong ones. A constant f = exp(-m) is ALiBi
// with the slope m. The bias depends on the order of the words, so no other positions are needed. In an encoder (not in
// the paper) the bias of a later word s is the sum over t < l <= s, which makes a constant f ALiBi in both directions.
// Padding forgets nothing. B batch, T queries, S keys, D width of the model, H heads, K width of a head.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_words.h"
#include "nn/layers.h"

namespace heed::nn {

struct ForgettingPosition final : HeadPosition, ReadsWords {
  static constexpr About about{
      .names = {"E25", "forgetting", "forgetting transformer", "FoX", "data-dependent ALiBi"},
      .formula = "e_ts = q_t . k_s / sqrt(K) + sum_(s < l <= t) log f_l,  f = sigmoid(x W_f + b_f)",
      .paper = {"Lin et al., ICLR 2025", 2025, 4},
      .idea =
          "Softmax attention gets a gate from recurrent networks: each word says how much of everything before it is "
          "kept. The logarithms of the gates between key and query are added to the score. With gates that are "
          "constant it is ALiBi, and with open gates it is ordinary attention.",
      .wrong =
          "The bias of a key is the sum of the logarithms after it, without its own gate. The difference of two "
          "running sums gives it without a loop, but loses digits.",
      .shapes = "log f [B, S, H] -> [B, H, T, S]",
      .cost = "S D H products and T S additions per head; D H + H parameters, and a number per head and word kept",
      .own = {"no_forgetting_is_attention", "constant_forgetting_is_alibi", "marks_are_kept_with_keys",
              "cache_is_the_parallel_pass"},
  };

  ForgettingPosition(const HeadPositionOptions& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable marks_of(const Variable& x) const override;
  Variable bias_of_marks(const Variable& marks, int64_t queries, bool causal) const override;
  void visit(Visitor& v) override { v.child("forget", forget); }
  Linear forget;  // W_f [H, D], b_f [H]
};

}  // namespace heed::nn
