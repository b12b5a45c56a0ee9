// From a matrix to one vector: x [B, S, D] -> [B, D], without a parameter. n is the number of words of a sentence, i
// runs over them from 1.
//
//   cls                   x_1                                        the first word, where BERT has its [CLS]
//   lasttoken             x_n                                        for models that read from left to right
//   sum                   sum_i x_i
//   mean                  sum_i x_i / n
//   mean_sqrt_len_tokens  sum_i x_i / sqrt(n)
//   weightedmean          sum_i i x_i / sum_i i                      later words know more (Muennighoff, SGPT, 2022)
//   max                   max_i x_i, entry by entry
//
// All but max are sums with weights that the mask alone decides. Words are counted, not positions: so padding changes
// nothing, whether it stands behind the words or before them. A sentence without words gives 0 and no gradient.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace heed::nn {

// words: bool [B, S], false for padding; undefined: all. ValueError for a name that is not known.
Variable pool(const std::string& name, const Variable& x, const Tensor& words = {});
// The weights of all of these but max: words bool [B, S] -> [B, S]
Tensor pooling_weights(const std::string& name, const Tensor& words, DType dtype = DType::f32);

}  // namespace heed::nn
