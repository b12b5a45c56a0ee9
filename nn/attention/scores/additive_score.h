// The score of additive attention as one operation that never holds [B, T, S, A]:
//
//   e_ts = sum_a v_a tanh(q_ta + k_sa)                              h_tsa = tanh(q_ta + k_sa)
//   dq_ta = sum_s g_tsa     dk_sa = sum_t g_tsa     dv_a = sum_ts de_ts h_tsa     g_tsa = de_ts v_a (1 - h_tsa^2)
//
// q [B, T, A], keys [B, S, A], v [A] -> [B, T, S]. Cost: B T S A tanh forward and as many backward, where they are
// computed again: nothing is saved but the inputs.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

Variable additive_score(const Variable& q, const Variable& keys, const Variable& v);
// The same from public operations: the formula, to read first.
Variable additive_score_composed(const Variable& q, const Variable& keys, const Variable& v);

}  // namespace heed::nn
