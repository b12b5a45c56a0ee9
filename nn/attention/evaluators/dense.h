// The dense evaluator: all scores at once, for any stages. Read this one first.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

struct DenseEvaluator final : Evaluator {
  static constexpr About about{
      .names = {"G0", "dense", "the formula itself"},
      .formula = "w = softmax(e),  context = w v",
      .paper = {"Bahdanau, Cho and Bengio, ICLR 2015", 2015, 1},
      .idea =
          "All scores are computed and stored, then normalised, then used to mix the values. It works with every "
          "score, scope, normaliser and position. Every other way of computing is compared with it.",
      .wrong = "Its memory grows with the square of the length. Tests with short sentences do not notice it.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "2 T S (K + V) FLOPs per head; stores the scores and weights [B, H, T, S]",
      .own = {"evaluators_agree"},
      .cases = "MultiHeadAttention",
  };

  DenseEvaluator() = default;
  DenseEvaluator(const EvaluatorOptions&, Generator&) {}
  std::string refuses(const StageSet&) const override { return ""; }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
};

// The pieces, for evaluators that share them.
// The call for the queries [begin, end) only. The masks, the bias and the restriction keep these rows only,
// except restriction.blocks, which are not cut: turn them into a mask first (mask_of).
AttentionCall rows_of(const AttentionCall& call, int64_t begin, int64_t end);
// Keys or values [B, G, S, N] -> [B, H, S, N]: each group once for every head that reads it, heads of a group side by
// side. Without heads, and where G = H, as they are.
Variable for_heads(const Variable& x, int64_t heads);
// score(q, k) scaled, plus the biases of the position, the scope and the caller: [.., T, S]
Variable biased_scores(const StageSet& stages, const AttentionCall& call, StageContext& context);
// The position's bias, in the rank of the queries; undefined: none.
Variable position_bias(const StageSet& stages, const AttentionCall& call, const StageContext& context);
// The caller's masks and those of the scope as one, broadcastable to [.., T, S]; undefined: everything.
Tensor allowed_by(const AttentionCall& call, const Places& places);

}  // namespace heed::nn
