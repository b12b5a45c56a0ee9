// Exercise 26.1: three masks.
//
//   encoder           word i of the source may attend to word j of the source     if j is a word, not padding
//   decoder           word i of the target may attend to word j of the target     if j <= i
//   cross-attention   word i of the target may attend to word j of the source     if j is a word, not padding
//
// A mask is written row by row: element i * S + j is 1 if query i may attend to key j, else 0. T queries, S keys.
// Vaswani et al., NeurIPS 2017, section 3.2.3.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

using Mask = std::vector<int>;

// [T, S]: a source of `words` words, padded to S.
Mask padding_mask(int64_t words, int64_t T, int64_t S);

// [T, first + T]: with a cache, the queries are the words at positions first, first + 1, .., first + T - 1 and the keys
// are all words so far, those at positions 0 .. first + T - 1.
Mask causal_mask(int64_t T, int64_t first);

}  // namespace mine
