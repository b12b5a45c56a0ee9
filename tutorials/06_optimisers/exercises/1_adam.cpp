#include "tutorials/06_optimisers/exercises/1_adam.h"

#include <cmath>

namespace mine {

// | // The gap uses m and s without the correction of their bias.
double adam_step(double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
  at.m = b1 * at.m + (1 - b1) * g;
  at.s = b2 * at.s + (1 - b2) * g * g;
  // ---- the gap: correct the bias of m and s ----
  // | return w - lr * at.m / (std::sqrt(at.s) + eps);
  // ---- filled ----
  double mean = at.m / (1 - std::pow(b1, t)), square = at.s / (1 - std::pow(b2, t));
  return w - lr * mean / (std::sqrt(square) + eps);
  // ---- end of the gap ----
}

}  // namespace mine
