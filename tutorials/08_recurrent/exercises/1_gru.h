// Exercise 08.1: one step of a GRU.
//
//   r  = sigmoid(a_r + b_r)             reset gate
//   z  = sigmoid(a_z + b_z)             update gate
//   n  = tanh(a_n + r b_n)              candidate state
//   h' = (1 - z) n + z h
//
// a = W_i x + b_i and b = W_h h + b_h, [B, 3N] each, hold the parts for r, z and n side by side, in this order. B:
// batch, N: hidden units.
//
// Cho et al., EMNLP 2014, equations 5 to 8; here r multiplies b_n, after the product with W_h, as in PyTorch.
#pragma once

#include "autograd/ops.h"

namespace mine {

// a, b [B, 3N], h [B, N] -> h' [B, N]
heed::Variable gru_step(const heed::Variable& a, const heed::Variable& b, const heed::Variable& h);

}  // namespace mine
