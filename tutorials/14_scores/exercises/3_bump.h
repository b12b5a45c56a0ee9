// Exercise 14.3: an additive score by hand, and what the bias is for.
//
//   e(q, k) = v_1 tanh(w_1 q + u_1 k + b_1) + v_2 tanh(w_2 q + u_2 k + b_2)        q, k numbers
//
// Choose the eight numbers so that for each query q = -3, -2, .., 3, of the keys -3, -2, .., 3, the one equal to the
// query has the largest score. Without biases e(-q, -k) = -e(q, k): the key that wins for q loses for -q.
//
// Additive score: Bahdanau, Cho and Bengio, ICLR 2015, appendix A.1.2.
#pragma once

#include <array>

namespace mine {

struct Unit {
  double v, w, u, b;
};

std::array<Unit, 2> units();

}  // namespace mine
