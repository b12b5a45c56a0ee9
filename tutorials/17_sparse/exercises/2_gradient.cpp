#include "tutorials/17_sparse/exercises/2_gradient.h"

namespace mine {

// The gap returns dw, as if the weights were the scores.
std::vector<double> sparsemax_gradient([[maybe_unused]] const std::vector<double>& w, const std::vector<double>& dw) {
  // ---- the gap: the gradient by the scores ----
  return dw;
  // ---- end of the gap ----
}

}  // namespace mine
