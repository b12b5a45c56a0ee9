#include "tutorials/22_self_attention/exercises/2_neighbours.h"

#include <cmath>

namespace mine {

std::array<Matrix, 2> queries(double a) {
  // ---- the gap, filled: rotate by the angle a, and back ----
  double c = std::cos(a), s = std::sin(a);
  return {{{{{c, s}, {-s, c}}}, {{{c, -s}, {s, c}}}}};
  // ---- end of the gap ----
}

}  // namespace mine
