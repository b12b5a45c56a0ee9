// Exercise 20.1: one hop of a memory network.
//
//   p_i = softmax_i(u . m_i)        the weight of entry i
//   o   = sum_i p_i c_i             what is read
//   u   <- u + o                    the question of the next hop
//
// u [B, D] is the question, m [B, N, D] are the keys and c [B, N, D] the values. An entry whose `there` [B, N] is false
// does not exist: its weight is 0. Every memory has at least one entry. There is no division by sqrt(D) here.
// Sukhbaatar, Szlam, Weston and Fergus, NIPS 2015, equations 1, 2 and 4.
#pragma once

#include "autograd/ops.h"

namespace mine {

heed::Variable hop(const heed::Variable& u, const heed::Variable& m, const heed::Variable& c,
                   const heed::Tensor& there);  // -> the new u [B, D]

}  // namespace mine
