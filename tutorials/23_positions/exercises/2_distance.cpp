#include "tutorials/23_positions/exercises/2_distance.h"

#include <algorithm>

namespace mine {

// | // The gap ignores the sign of the distance, and its rows do not end where the table ends.
int64_t row(int64_t t, int64_t s, int64_t D) {
  // ---- the gap: left and right differ, and the table ends ----
  // | return std::max(t - s, s - t) + D;
  // ---- filled ----
  return std::clamp(s - t, -D, D) + D;
  // ---- end of the gap ----
}

}  // namespace mine
