#include "tutorials/13_search_and_score/exercises/3_gap.h"

#include <cmath>

namespace mine {

// With the gaps open, the model never makes a mistake that has consequences.
double on_track([[maybe_unused]] double a, [[maybe_unused]] int64_t t) {
  // ---- the gap, first part ----
  return 1;
  // ---- end of the first part ----
}

double right(double a, [[maybe_unused]] double b, [[maybe_unused]] int64_t t) {
  // ---- the gap, second part ----
  return a;
  // ---- end of the second part ----
}

double gap([[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] int64_t n) {
  // ---- the gap, third part ----
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
