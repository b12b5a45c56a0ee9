#include "tutorials/23_positions/exercises/2_distance.h"

#include <algorithm>

namespace mine {

int64_t row(int64_t t, int64_t s, int64_t D) {
  // ---- the gap, filled: left and right differ, and the table ends ----
  return std::clamp(s - t, -D, D) + D;
  // ---- end of the gap ----
}

}  // namespace mine
