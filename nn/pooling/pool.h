// From one vector per word to one vector per sentence, x [B, S, D] -> [B, D], without parameters. n is the number of
// words of the sentence, and i runs over them from 1.
//
// clang-format off
//   cls                   x_1                       the first word, which is [CLS] in BERT
//   lasttoken             x_n                       for models that read from left to right
//   sum                   sum_i x_i
//   mean                  sum_i x_i / n
//   mean_sqrt_len_tokens  sum_i x_i / sqrt(n)
//   weightedmean          sum_i i x_i / sum_i i     later words know more (Muennighoff 2022, SGPT)
//   max                   max_i x_i                 element by element
//   position_encoding     sum_i l_i * x_i           l_ik = (1 - i/n) - (k/D) (1 - 2i/n), k <= D:
//                                                   Sukhbaatar et al., NIPS 2015, section 4.1
// clang-format on
//
// All except max and position_encoding are sums with weights that depend only on the padding mask; position_encoding
// has a weight for each entry of a word, which falls from the first word to the last in the first entries and rises in
// the last, so the sum knows the order. The weights count words, not positions, so padding changes nothing, whether it
// is after the words or before them. Without words: 0 and no gradient.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace heed::nn {

// `words` is the padding mask: bool [B, S], false for padding; undefined: no padding. ValueError for an unknown name.
Variable pool(const std::string& name, const Variable& x, const Tensor& words = {});
// The weights of all of these except max and position_encoding: words bool [B, S] -> [B, S]
Tensor pooling_weights(const std::string& name, const Tensor& words, DType dtype = DType::f32);

}  // namespace heed::nn
