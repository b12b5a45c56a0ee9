#include "tutorials/19_coverage_and_monotonic/exercises/1_coverage_loss.h"

#include <algorithm>

namespace mine {

std::vector<double> coverage_loss(const Rows& a) {
  std::vector<double> loss(a.size(), 0);
  // ---- the gap: a running sum of the rows, and the minimum of each weight and its coverage ----
  // ---- filled ----
  if (a.empty()) return loss;
  std::vector<double> coverage(a[0].size(), 0);
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t s = 0; s < a[t].size(); ++s) {
      loss[t] += std::min(a[t][s], coverage[s]);
      coverage[s] += a[t][s];  // after it was used: step t does not cover itself
    }
  // ---- end of the gap ----
  return loss;
}

}  // namespace mine
