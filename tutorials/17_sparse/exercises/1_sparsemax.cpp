#include "tutorials/17_sparse/exercises/1_sparsemax.h"

#include <algorithm>
#include <functional>

namespace mine {

// | // The gap returns the scores themselves.
std::vector<double> sparsemax(const std::vector<double>& e) {
  // ---- the gap: sort a copy of the scores, find k and tau, then compute the weights ----
  // | return e;
  // ---- filled ----
  std::vector<double> sorted = e, w;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, tau = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto k = static_cast<double>(i + 1);
    sum += sorted[i];
    if (1 + k * sorted[i] > sum) tau = (sum - 1) / k;
  }
  for (double x : e) w.push_back(std::max(x - tau, 0.0));
  return w;
  // ---- end of the gap ----
}

}  // namespace mine
