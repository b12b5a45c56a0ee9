// Exercise 10.3: batches with little padding.
//
// All rows of a batch are padded to its longest sentence, and computing on padding is wasted work:
//
//   places(batch)  = number of its sentences * length of its longest sentence
//   padding(batch) = places(batch) - sum of the lengths of its sentences
//
// batches(lengths, max_places): sort the sentences by length, the shortest first, those of equal length by their
// number. Then fill one batch after the other in this order: a sentence starts a new batch if with it the current one
// would have more than max_places places. ValueError if a sentence alone is too long.
//
// padding(lengths, batches): the sum over all batches, to compare with batches in the order of the text.
//
// Vaswani et al., NeurIPS 2017, section 5.1 batch their sentence pairs by length like this.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/error.h"

namespace mine {

using Batches = std::vector<std::vector<int64_t>>;  // the numbers of the sentences of each batch

Batches batches(const std::vector<int64_t>& lengths, int64_t max_places);
int64_t padding(const std::vector<int64_t>& lengths, const Batches& batches);

}  // namespace mine
