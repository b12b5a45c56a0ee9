#include "tutorials/20_memory/exercises/3_head.h"

#include <algorithm>
#include <cmath>

namespace mine {

Vector address([[maybe_unused]] const Control& control, [[maybe_unused]] const std::vector<Vector>& M,
               const Vector& before) {
  Vector w(before.size(), 0);
  // ---- the gap, about 25 lines: content, gate, shift, sharpening, in this order ----
  // ---- end of the gap ----
  return w;
}

}  // namespace mine
