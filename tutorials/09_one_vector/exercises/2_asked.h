// Exercise 09.2: pooling with a query.
//
//   e_s = q . x_s for a word, -inf for padding          w = softmax(e)          y = sum_s w_s x_s
//
// q [B, D], x [B, S, D], words bool [B, S] -> y [B, D]. `words` is true where a position holds a word and false where
// it is padding. The weight of padding must be exactly 0: even a vector of zeros has the score 0, and exp(0) is 1.
#pragma once

#include "autograd/ops.h"

namespace mine {

heed::Variable ask(const heed::Variable& q, const heed::Variable& x, const heed::Tensor& words);

}  // namespace mine
