#include "tutorials/06_optimisers/exercises/2_clip.h"

#include <cmath>

namespace mine {

Gradients clipped(Gradients gradients, double limit) {
  // ---- the gap, filled: one norm for all tensors ----
  double squares = 0;
  for (const auto& tensor : gradients)
    for (double g : tensor) squares += g * g;
  double norm = std::sqrt(squares);
  if (norm > limit)
    for (auto& tensor : gradients)
      for (double& g : tensor) g *= limit / norm;
  // ---- end of the gap ----
  return gradients;
}

}  // namespace mine
