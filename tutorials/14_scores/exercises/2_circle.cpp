#include "tutorials/14_scores/exercises/2_circle.h"

#include <cmath>

namespace mine {

// | // The gap places all keys on a line: only the last one wins its query.
std::vector<Point> places(int n) {
  std::vector<Point> keys;
  for (int s = 0; s < n; ++s) {
    // ---- the gap: leave the line ----
    // | keys.push_back({1.0 + s, 0.0});
    // ---- filled ----
    double angle = 2 * std::acos(-1.0) * s / n;
    keys.push_back({std::cos(angle), std::sin(angle)});
    // ---- end of the gap ----
  }
  return keys;
}

}  // namespace mine
