#include "tutorials/06_optimisers/exercises/3_best_rate.h"

#include <cmath>

namespace mine {

Plan best_plan(double a, double b, double factor) {
  // ---- the gap, filled: r is smallest where 1 - lr a = -(1 - lr b) ----
  double rate = 2 / (a + b), ratio = (b - a) / (b + a);  // ratio = r(rate) = 1 - rate a
  return {rate, std::log(factor) / -std::log(ratio)};
  // ---- end of the gap ----
}

}  // namespace mine
