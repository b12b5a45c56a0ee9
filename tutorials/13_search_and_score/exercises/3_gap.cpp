#include "tutorials/13_search_and_score/exercises/3_gap.h"

#include <cmath>

namespace mine {

// | // With the gaps open, the model never makes a mistake that has consequences.
double on_track(double a, int64_t t) {
  // ---- the gap, first part ----
  // | return 1;
  // ---- filled ----
  return std::pow(a, static_cast<double>(t - 1));
  // ---- end of the first part ----
}

double right(double a, double b, int64_t t) {
  // ---- the gap, second part ----
  // | return a;
  // ---- filled ----
  return on_track(a, t) * a + (1 - on_track(a, t)) * b;
  // ---- end of the second part ----
}

double gap(double a, double b, int64_t n) {
  // ---- the gap, third part ----
  // | return 0;
  // ---- filled ----
  double mean = 0;
  for (int64_t t = 1; t <= n; ++t) mean += right(a, b, t) / static_cast<double>(n);
  return a - mean;
  // ---- end of the gap ----
}

}  // namespace mine
