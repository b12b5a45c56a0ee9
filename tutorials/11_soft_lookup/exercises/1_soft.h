// Exercise 11.1: a soft look-up.
//
//   e_i = q . k_i          w_i = exp(e_i) / sum_j exp(e_j)          answer = sum_i w_i v_i
//
// query [D], keys [S][D], values [S]: one number per key. Scores may be as large as 900, where exp overflows.
#pragma once

#include <vector>

namespace mine {

using Vector = std::vector<double>;

double look_up(const Vector& query, const std::vector<Vector>& keys, const Vector& values);

}  // namespace mine
