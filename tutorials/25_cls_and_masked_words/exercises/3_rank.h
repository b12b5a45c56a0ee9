// Exercise 25.3: ranks and MRR.
//
//   rank_i = the place of column i among all columns of row i, ordered by cosine, the largest first
//   MRR    = the mean of 1 / rank_i
//
// cosines [N, N] of N English with N French sentences; the translation of row i is column i. Ranks begin at 1. Of equal
// cosines the translation comes last, so that a model that finds all sentences equal is not rewarded.
// MRR: Voorhees, TREC-8, 1999.
#pragma once

#include "tensor/tensor.h"

namespace mine {

int64_t rank_of(const heed::Tensor& cosines, int64_t i);

}  // namespace mine
