#include "tutorials/31_scale/exercises/3_segments.h"

#include <algorithm>
#include <cmath>

namespace mine {

// | // The gap is the rule of thumb, the square root of the number of layers. It assumes that A = a.
Plan best_plan(double n, double a, double A) {
  // ---- the gap: the k with the least memory, and the memory ----
  // | double k = std::sqrt(n);
  // | return {k, k * a + n / k * a};
  // ---- filled ----
  double k = std::clamp(std::sqrt(n * A / a), 1.0, n);  // dM/dk = a - n A / k^2 = 0
  return {k, k * a + n / k * A};
  // ---- end of the gap ----
}

}  // namespace mine
