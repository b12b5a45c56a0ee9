#include "tutorials/07_embeddings/exercises/2_noise.h"

#include <cmath>

namespace mine {

Vector probabilities(const Vector& count, [[maybe_unused]] double power) {
  Vector p(count.size(), 0.0);
  // ---- the gap: raise to the power, then divide by the sum ----
  // ---- end of the gap ----
  return p;
}

std::size_t draw([[maybe_unused]] const Vector& p, [[maybe_unused]] double r) {
  // ---- the gap: find the piece that contains r ----
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
