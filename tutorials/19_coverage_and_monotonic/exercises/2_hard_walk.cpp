#include "tutorials/19_coverage_and_monotonic/exercises/2_hard_walk.h"

namespace mine {

Walk hard_walk(const Rows& p) {
  Walk walk{std::vector<int64_t>(p.size(), -1), 0};
  // ---- the gap: one index into the keys that only ever grows ----
  // ---- end of the gap ----
  return walk;
}

}  // namespace mine
