// Exercise 21.1: which word counts in the document?
//
//   s_m = sum_l w_ml h_ml        the vector of sentence m        w [M, L], rows sum to 1; h [M, L, D]
//   d   = sum_m v_m s_m          the vector of the document      v [M], sums to 1
//
// Substitute the first line into the second: d = sum_m sum_l u_ml h_ml. Derive u [M, L], the weight of word l of
// sentence m in the document. M sentences, L words. Yang et al., NAACL 2016, section 2.2, equations 5 to 10.
#pragma once

#include "tensor/elementwise.h"

namespace mine {

heed::Tensor weights_in_document(const heed::Tensor& w, const heed::Tensor& v);  // [M, L], [M] -> [M, L]

}  // namespace mine
