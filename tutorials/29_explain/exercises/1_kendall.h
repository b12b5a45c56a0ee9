// Exercise 29.1: Kendall's tau-b, the agreement of two rankings of the same words.
//
//   tau = (C - D) / sqrt((P - A) (P - B))
//
//   P = T (T - 1) / 2     pairs of words i < j
//   C, D                  pairs that a and b put in the same order, in opposite order
//   A, B                  pairs with a_i = a_j, with b_i = b_j: a tie counts neither for C nor for D
//
// a and b have T numbers each. If the root is 0, the result is 0.
//
// Kendall, Biometrika 33 (1945).
#pragma once

#include <vector>

namespace mine {

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace mine
