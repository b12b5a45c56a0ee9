#include "tutorials/22_self_attention/exercises/2_neighbours.h"

#include <cmath>

namespace mine {

// | // In what the gap returns, both matrices are the identity: each word attends to itself.
std::array<Matrix, 2> queries(double a) {
  // ---- the gap: rotate by the angle a, and back ----
  // | double c = std::cos(0 * a), s = std::sin(0 * a);
  // | return {{{{{c, s}, {-s, c}}}, {{{c, s}, {-s, c}}}}};
  // ---- filled ----
  double c = std::cos(a), s = std::sin(a);
  return {{{{{c, s}, {-s, c}}}, {{{c, -s}, {s, c}}}}};
  // ---- end of the gap ----
}

}  // namespace mine
