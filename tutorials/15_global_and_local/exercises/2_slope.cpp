#include "tutorials/15_global_and_local/exercises/2_slope.h"

namespace mine {

// The gap returns 0, as if p only cut the window out.
double slope([[maybe_unused]] const Row& r, [[maybe_unused]] double p) {
  // ---- the gap: p changes every weight ----
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
