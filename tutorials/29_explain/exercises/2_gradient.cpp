#include "tutorials/29_explain/exercises/2_gradient.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace mine {

// A tool: std::inner_product(a.begin(), a.end(), b.begin(), 0.0) is a . b. No score here is larger than 20.
Vector importance(const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant_weights) {
  // ---- the gap: about 15 lines, the weights, y, and then g ----
  (void)q, (void)u, (void)constant_weights;
  return Vector(x.size(), 0);
  // ---- end of the gap ----
}

}  // namespace mine
