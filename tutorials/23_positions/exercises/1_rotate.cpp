#include "tutorials/23_positions/exercises/1_rotate.h"

#include <cmath>

namespace mine {

// | // The gap multiplies both numbers by the cosine: it changes the length and not the direction.
Pair turned(const Pair& x, double p, double t) {
  double c = std::cos(p * t), s = std::sin(p * t);
  // ---- the gap: rotate, do not stretch ----
  // | return {x[0] * c, x[1] * c + 0 * s};
  // ---- filled ----
  return {x[0] * c - x[1] * s, x[0] * s + x[1] * c};
  // ---- end of the gap ----
}

}  // namespace mine
