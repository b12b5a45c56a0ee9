#include "tutorials/19_coverage_and_monotonic/exercises/2_hard_walk.h"

namespace mine {

Walk hard_walk(const Rows& p) {
  Walk walk{std::vector<int64_t>(p.size(), -1), 0};
  // ---- the gap: one index into the keys that only ever grows ----
  // ---- filled ----
  std::size_t s = 0;
  for (std::size_t t = 0; t < p.size(); ++t)
    for (; s < p[t].size(); ++s) {
      ++walk.inspected;
      if (p[t][s] > 0.5) {
        walk.stops[t] = static_cast<int64_t>(s);
        break;  // s stays: the next query looks at this key again
      }
    }
  // ---- end of the gap ----
  return walk;
}

}  // namespace mine
