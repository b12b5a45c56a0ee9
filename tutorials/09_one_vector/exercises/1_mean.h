// Exercise 09.1: the mean of the words of each sentence.
//
//   y_b = sum over the words s of x_bs / number of words of sentence b
//
// x [B, S, D], words bool [B, S] -> y [B, D]. `words` is true where a position holds a word and false where it is
// padding. Padding may be anywhere, and its vectors are not 0. Every sentence has a word.
#pragma once

#include "autograd/ops.h"

namespace mine {

heed::Variable mean_of_words(const heed::Variable& x, const heed::Tensor& words);

}  // namespace mine
