// The chunked evaluator: dense, C queries at a time. The results are bit for bit those of dense for any C, except under
// dropout, which is drawn per chunk. Hooks of the score, the normaliser and the dropout see each chunk; Observe and the
// caller see the whole weights. If the weights are asked for, all are stored.
#pragma once

#include <functional>

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

struct ChunkedEvaluator final : Evaluator {
  struct Settings {
    int64_t chunk = 64;
    void fields(OptionFields& f) { f("chunk", chunk, "C, the number of queries at a time", {1, 1e9}); }
  };
  static constexpr About about{
      .names = {"G2", "chunked", "memory-efficient attention"},
      .formula = "E5, computed for C queries at a time",
      .paper = {"Rabe and Staats, 2021", 2021, 1},
      .idea =
          "Queries are taken a few at a time, with all their keys. Without gradients only the weights of these queries "
          "are stored; for training all are. The number of operations stays the same.",
      .wrong = "Only a normaliser that treats each row alone may be computed for a few queries at a time.",
      .shapes = "as E5, with weights [B, H, C, S] at a time",
      .cost = "the same products as dense",
      .own = {"chunks_change_no_bit", "evaluators_agree"},
      .cases = "MultiHeadAttention",
  };

  ChunkedEvaluator(const EvaluatorOptions& o, Generator&) : chunk(o.settings.as<Settings>().chunk) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  int64_t chunk;  // C
};

// Evaluates the queries in pieces: piece i has the queries from ends[i - 1] (0 for the first) to before ends[i], and
// the last end is T. of_piece receives its rows of queries and masks, and the context with its places. The results are
// joined along the queries and reported once.
using OfPiece = std::function<Attended(const AttentionCall& rows, size_t piece, StageContext& context)>;
Attended in_pieces(const AttentionCall& call, StageContext& context, const std::vector<int64_t>& ends,
                   const OfPiece& of_piece);

}  // namespace heed::nn
