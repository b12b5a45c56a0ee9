#include "tutorials/27_decoder/exercises/3_mask.h"

namespace mine {

// | // The gap keeps the sentences apart, but lets each word attend to the words after it.
bool allowed(const std::vector<int64_t>& segments, std::size_t t, std::size_t s) {
  // ---- the gap: what may t attend to? ----
  // | return segments[t] == segments[s];
  // ---- filled ----
  return segments[t] == segments[s] && segments[t] != 0 && s <= t;
  // ---- end of the gap ----
}

}  // namespace mine
