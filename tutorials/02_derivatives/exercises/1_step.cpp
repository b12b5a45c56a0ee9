#include "tutorials/02_derivatives/exercises/1_step.h"

#include <cmath>

namespace mine {

double best_step(double eps, double f, double third) {
  // ---- the gap: E'(h) = 0, solved for h ----
  // | return 0.01;
  // ---- filled ----
  return std::cbrt(3 * eps * f / third);
  // ---- end of the gap ----
}

}  // namespace mine
