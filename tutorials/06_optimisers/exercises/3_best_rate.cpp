#include "tutorials/06_optimisers/exercises/3_best_rate.h"

#include <cmath>

namespace mine {

// | // The gap uses the rate 1 / b, which is safe but not the best: it finishes the steepest direction in one step. Its
// | // number of steps is an approximation.
Plan best_plan(double a, double b, double factor) {
  // ---- the gap: the best rate, and the number of its steps ----
  // | double rate = 1 / b;
  // | return {rate, std::log(factor) / (rate * a)};
  // ---- filled: r is smallest where 1 - lr a = -(1 - lr b) ----
  double rate = 2 / (a + b), ratio = (b - a) / (b + a);  // ratio = r(rate) = 1 - rate a
  return {rate, std::log(factor) / -std::log(ratio)};
  // ---- end of the gap ----
}

}  // namespace mine
