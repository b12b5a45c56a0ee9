// Exercise 21.2: a sentence without words.
//
// The documents of a batch differ in their number of sentences; the shorter ones are padded with sentences that have no
// words. From the scores of all sentences make weights that sum to 1 over the sentences that have words, and are
// exactly 0 for those that have none. B documents, M sentences. Every document has a sentence with words.
#pragma once

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace mine {

// scores [B, M]; counts [B, M] i64: the number of words of each sentence -> [B, M]
heed::Variable sentence_weights(const heed::Variable& scores, const heed::Tensor& counts);

}  // namespace mine
