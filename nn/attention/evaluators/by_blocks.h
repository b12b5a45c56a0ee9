// Attention under a position that counts places in blocks (positions/counts_in_blocks.h): the queries are cut so that
// those of a piece lie within one block's length, and for each piece queries and keys are counted from its first query.
//
//   e_ts = (q_t exp(-c (t - r))) . (k_s exp(c (s - r)))        r the first place of the piece: exp(-c (t - s)), exactly
//
// Queries and keys that lie in one block are evaluated at once, as they are; so is every other position. Where queries
// see keys so far after them that factors become large, dense takes the place of an evaluator that stores no weights.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// `chosen` for these stages. ValueError, with the number of words, for queries and keys of several blocks where factors
// cannot be moved from one block to another, or where a key is so far after its query that the product overflows.
Attended by_blocks(const Evaluator& chosen, const StageSet& stages, const AttentionCall& call, StageContext& context);

// The number of words that a sentence may have under such a position; 0: any number. `ahead`: may keys be any number of
// words after their queries?
int64_t most_words(const HeadPosition& position, const Score& score, const Evaluator* by, bool ahead, DType dtype);

}  // namespace heed::nn
