#include "tutorials/17_sparse/exercises/2_gradient.h"

namespace mine {

// | // The gap returns dw, as if the weights were the scores.
std::vector<double> sparsemax_gradient(const std::vector<double>& w, const std::vector<double>& dw) {
  // ---- the gap: the gradient with respect to the scores ----
  // | return dw;
  // ---- filled ----
  double sum = 0, size = 0;
  for (std::size_t s = 0; s < w.size(); ++s)
    if (w[s] > 0) sum += dw[s], ++size;
  std::vector<double> de(w.size(), 0);
  for (std::size_t s = 0; s < w.size(); ++s)
    if (w[s] > 0) de[s] = dw[s] - sum / size;
  return de;
  // ---- end of the gap ----
}

}  // namespace mine
