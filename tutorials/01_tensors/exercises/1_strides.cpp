#include "tutorials/01_tensors/exercises/1_strides.h"

namespace mine {

// The gap: each function returns the tensor itself.
// ---- the gap: change shape, strides and offset ----
View transpose(View v, [[maybe_unused]] size_t a, [[maybe_unused]] size_t b) { return v; }

View slice(View v, [[maybe_unused]] size_t axis, [[maybe_unused]] int64_t begin, [[maybe_unused]] int64_t end,
           [[maybe_unused]] int64_t step) {
  return v;
}

View select(View v, [[maybe_unused]] size_t axis, [[maybe_unused]] int64_t index) { return v; }

View expand(View v, [[maybe_unused]] const std::vector<int64_t>& shape) { return v; }

View diagonal(View v) { return v; }
// ---- end of the gap ----

}  // namespace mine
