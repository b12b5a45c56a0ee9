// Exercise 17.3: alpha-entmax for any alpha above 1, and its gradient.
//
//   w_s  = max((alpha - 1) e_s - tau, 0)^(1 / (alpha - 1))        tau such that the weights sum to 1
//   p_s  = w_s^(2 - alpha) / sum_r w_r^(2 - alpha)                 over the keys with w > 0; elsewhere 0
//   de_s = w_s^(2 - alpha) (dw_s - sum_r p_r dw_r)                 where w_s > 0, else 0
//
// There is no formula for tau, but the sum of the weights falls as tau grows, so bisection finds it: with u_s = (alpha
// - 1) e_s, the sum is at least 1 at tau = max u - 1, and 0 at tau = max u. A key that is not allowed has the score
// -inf and gets the weight 0 and the gradient 0. If no key is allowed, everything is 0. Peters, Niculae and Martins,
// ACL 2019, algorithm 1.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

struct Entmax {
  std::vector<double> w, de;  // [S] each
};

// e: scores, dw: gradient of the loss with respect to the weights, [S] each
Entmax entmax(const std::vector<double>& e, double alpha, const std::vector<double>& dw);

}  // namespace mine
