// Exercise 20.2: the summary of an LSTMN.
//
//   e_i = v^T tanh(k_i + q)        for each state i on the tape; k_i and q are projected already
//   w   = softmax(e)
//   h~  = sum_i w_i h_i,   c~ = sum_i w_i c_i          both with the same weights
//
// h, c and keys [n][N] are the tape, the oldest state first, q [N] the query of this step, v [N] a parameter. The LSTM
// step then reads h~ and c~ in place of the previous state. `tape` > 0 keeps the last `tape` states only; 0 keeps all.
// An empty tape gives zeros of width v.size(). Cheng, Dong and Lapata, EMNLP 2016, section 3.2.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;  // [n][N]

struct Summary {
  Vector h, c;  // [N] each
};

Summary summary(const Rows& h, const Rows& c, const Rows& keys, const Vector& q, const Vector& v, std::size_t tape);

}  // namespace mine
