// Exercise 06.3: the best learning rate for a quadratic valley.
//
// Along a direction with curvature c the loss is c x^2 / 2 and its gradient is c x, so a step of SGD multiplies x by
// 1 - lr c. If the curvatures lie between a and b, 0 < a < b, the slowest direction shrinks in each step by the factor
//
//   r(lr) = max(|1 - lr a|, |1 - lr b|)
//
// Derive the learning rate with the smallest r, and the number of steps after which every distance has shrunk by
// `factor`: r^steps = 1 / factor.
//
// Polyak, Introduction to Optimization, 1987, section 1.4.
#pragma once

namespace mine {

struct Plan {
  double rate;
  double steps;  // a real number, not rounded
};

Plan best_plan(double a, double b, double factor);

}  // namespace mine
