#include "tutorials/27_decoder/exercises/3_mask.h"

namespace mine {

bool allowed(const std::vector<int64_t>& segments, std::size_t t, std::size_t s) {
  // ---- the gap, filled: what may t attend to? ----
  return segments[t] == segments[s] && segments[t] != 0 && s <= t;
  // ---- end of the gap ----
}

}  // namespace mine
