// Exercise 29.3: the weights that differ most from w and give exactly the same answer.
//
//   y = sum_i w_i z_i                              z_i: the answer if word i had all the weight
//   maximise JSD(w, v)   subject to   sum_i v_i z_i = y,   sum_i v_i = 1,   v_i >= 0
//   JSD(w, v) = H(m) - H(w) / 2 - H(v) / 2,   m = (w + v) / 2,   H(p) = - sum_i p_i log p_i  (0 log 0 is 0)
//
// JSD is convex in v, so the maximum is at a corner of the set of all such v. There are two equations, so at most two
// weights of a corner are not 0. Try all pairs of words i and j with z_i < y < z_j: which weights must they have?
//
// w and z have T numbers each, and no z_i is equal to y. The result has T numbers.
//
// Jain and Wallace, NAACL 2019, section 4.2.2; they search by gradient descent, and the answer may change a little.
#pragma once

#include <vector>

namespace mine {

std::vector<double> adversary(const std::vector<double>& w, const std::vector<double>& z);

}  // namespace mine
