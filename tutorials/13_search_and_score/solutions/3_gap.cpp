#include "tutorials/13_search_and_score/exercises/3_gap.h"

#include <cmath>

namespace mine {

double on_track(double a, int64_t t) {
  // ---- the gap, first part, filled ----
  return std::pow(a, static_cast<double>(t - 1));
  // ---- end of the first part ----
}

double right(double a, double b, int64_t t) {
  // ---- the gap, second part, filled ----
  return on_track(a, t) * a + (1 - on_track(a, t)) * b;
  // ---- end of the second part ----
}

double gap(double a, double b, int64_t n) {
  // ---- the gap, third part, filled ----
  double mean = 0;
  for (int64_t t = 1; t <= n; ++t) mean += right(a, b, t) / static_cast<double>(n);
  return a - mean;
  // ---- end of the gap ----
}

}  // namespace mine
