#include "tutorials/15_global_and_local/exercises/2_slope.h"

namespace mine {

// | // The gap returns 0, as if p only cut the window out.
double slope(const Row& r, double p) {
  // ---- the gap: p changes every weight ----
  // | return 0;
  // ---- filled ----
  double d = 0;
  for (int s = 0; s < static_cast<int>(r.u.size()); ++s)
    d += r.g[static_cast<std::size_t>(s)] * weight(r, p, s) * (s - p) / (r.sigma * r.sigma);
  return d;
  // ---- end of the gap ----
}

}  // namespace mine
