#include "tutorials/28_efficient/exercises/2_linear.h"

#include <cmath>

namespace mine {

// The gap attends to the word itself only.
Numbers linear_step(State& state, const Numbers& q, const Numbers& k, const Numbers& v) {
  // ---- the gap: about 15 lines: features, the two sums, the quotient ----
  (void)state, (void)q, (void)k;
  return v;
  // ---- end of the gap ----
}

}  // namespace mine
