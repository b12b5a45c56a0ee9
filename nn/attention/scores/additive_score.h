// The score of additive attention as one operation that never stores [B, T, S, A]:
//
//   e_ts = sum_a v_a tanh(q_ta + k_sa)                              h_tsa = tanh(q_ta + k_sa)
//   dq_ta = sum_s g_tsa     dk_sa = sum_t g_tsa     dv_a = sum_ts de_ts h_tsa     g_tsa = de_ts v_a (1 - h_tsa^2)
//
// q [B, T, A], keys [B, S, A], v [A] -> [B, T, S]. Cost: B T S A evaluations of tanh in the forward pass, and
// the same number in the backward pass, which computes them again so that only the inputs need to be saved.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

Variable additive_score(const Variable& q, const Variable& keys, const Variable& v);
// The same function composed of public operations. Read this one first: it is the formula.
Variable additive_score_composed(const Variable& q, const Variable& keys, const Variable& v);

}  // namespace heed::nn
