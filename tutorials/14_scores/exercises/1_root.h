// Exercise 14.1: the right root.
//
//   e = q . k / c        q and k [d], independent normal numbers of variance 1: which c keeps the variance of e at 1?
//
// Vaswani et al., NeurIPS 2017, section 3.2.1. B batch, T queries, S keys, d the width of both.
#pragma once

#include "tensor/elementwise.h"
#include "tensor/matmul.h"

namespace mine {

// q [B, T, d], k [B, S, d] -> e [B, T, S]
heed::Tensor scores(const heed::Tensor& q, const heed::Tensor& k);

}  // namespace mine
