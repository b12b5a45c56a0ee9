// Exercise 09.4: three poolings side by side.
//
//   mean_d      = (1 / n) sum_s x_sd            n the number of words; s runs over the words of the sentence only
//   max_d       = max_s x_sd
//   attention_d = sum_s w_s x_sd                w = softmax of the scores q . x_s of the words
//   y           = [mean; max; attention]        a sentence without words gives zeros
//
// x [B, S, D], words bool [B, S], q [D] -> y [B, 3 D]. `words` is true where a position holds a word and false where it
// is padding. Padding may be anywhere, and its vectors are not 0. Write it with loops over single numbers:
// x.at({b, s, d}) reads a number, y.set({b, d}, value) writes one.
//
// Howard and Ruder, ACL 2018, section 3.3 ("concat pooling") put the last state, the maximum and the mean side by side;
// the learned query is that of Yang et al., NAACL 2016.
#pragma once

#include "tensor/elementwise.h"

namespace mine {

heed::Tensor three_poolings(const heed::Tensor& x, const heed::Tensor& words, const heed::Tensor& q);

}  // namespace mine
