#include "tutorials/14_scores/exercises/2_circle.h"

#include <cmath>

namespace mine {

std::vector<Point> places(int n) {
  std::vector<Point> keys;
  for (int s = 0; s < n; ++s) {
    // ---- the gap, filled: leave the line ----
    double angle = 2 * std::acos(-1.0) * s / n;
    keys.push_back({std::cos(angle), std::sin(angle)});
    // ---- end of the gap ----
  }
  return keys;
}

}  // namespace mine
