#include "tutorials/23_positions/exercises/4_sinusoids.h"

#include <cmath>

namespace mine {

// | // With the gap open all words are at the same position.
std::vector<double> sinusoids(int64_t T, int64_t D) {
  std::vector<double> P(static_cast<std::size_t>(T * D), 0.0);
  // ---- the gap: fill P ----
  // ---- filled ----
  for (int64_t p = 0; p < T; ++p)
    for (int64_t c = 0; c < D; c += 2) {
      const double angle = static_cast<double>(p) / std::pow(10000.0, static_cast<double>(c) / static_cast<double>(D));
      const auto at = static_cast<std::size_t>(p * D + c);
      P[at] = std::sin(angle);
      P[at + 1] = std::cos(angle);
    }
  // ---- end of the gap ----
  return P;
}

}  // namespace mine
