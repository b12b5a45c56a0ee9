// Exercise 31.3: how many segments?
//
// n layers in k segments need
//
//   M(k) = k a + (n / k) A            a: bytes of a layer's output;  A: bytes of all that a layer stores, A >= a
//
// Derive the k with the least memory, 1 <= k <= n, and that memory. k need not be a whole number.
//
// Chen, Xu, Zhang and Guestrin, arXiv:1604.06174, section 4.3, for A = a.
#pragma once

namespace mine {

struct Plan {
  double segments = 0, bytes = 0;  // k, M(k)
};

Plan best_plan(double n, double a, double A);

}  // namespace mine
