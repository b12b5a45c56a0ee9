#include "tutorials/04_softmax_and_masks/exercises/2_gradient.h"

namespace mine {

// ---- the gap: both gradients are zero until you derive them ----
std::vector<double> dloss_dx(const std::vector<double>& x, [[maybe_unused]] const Setting& s) {
  return std::vector<double>(x.size(), 0.0);
}

double dloss_dt([[maybe_unused]] const std::vector<double>& x, [[maybe_unused]] const Setting& s) { return 0; }
// ---- end of the gap ----

}  // namespace mine
