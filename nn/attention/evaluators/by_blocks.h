// Attention with a position that counts places in blocks (positions/counts_in_blocks.h). The queries are cut into
// pieces no longer than a block. For each piece, the places of queries and keys are counted from its first query, r:
//
//   e_ts = (q_t exp(-c (t - r))) . (k_s exp(c (s - r)))        r cancels: the factor of the product is exp(-c (t - s))
//
// Queries and keys of one block are evaluated in one call, as they are; with any other position, all of them are. If
// queries see keys so far after them that factors become large, the dense evaluator replaces an evaluator that stores
// no weights, because the gradients of that one would lose digits.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// The result of the evaluator `chosen` for these stages. For queries and keys of several blocks, ValueError with the
// number of words: if the score or the evaluator does not allow recounting, if a key is so far after its query that the
// product overflows, or if several pieces are needed and the normaliser needs all queries together.
Attended by_blocks(const Evaluator& chosen, const StageSet& stages, const AttentionCall& call, StageContext& context);

// The number of words that a sentence may have with this position; 0: any number. by: null if each call chooses an
// evaluator. ahead: may a query see keys any number of words after it?
int64_t most_words(const HeadPosition& position, const Score& score, const Evaluator* by, bool ahead, DType dtype);

}  // namespace heed::nn
