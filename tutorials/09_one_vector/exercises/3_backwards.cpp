#include "tutorials/09_one_vector/exercises/3_backwards.h"

#include <algorithm>

namespace mine {

// | // The gap reverses whole rows, padding included.
Rows backwards(Rows ids, const std::vector<int64_t>& lengths) {
  for (std::size_t b = 0; b < ids.size(); ++b) {
    // ---- the gap: reverse the words only ----
    // | std::reverse(ids[b].begin(), ids[b].end());
    // ---- filled ----
    std::reverse(ids[b].begin(), ids[b].begin() + lengths[b]);
    // ---- end of the gap ----
  }
  return ids;
}

}  // namespace mine
