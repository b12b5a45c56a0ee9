#include "tutorials/01_tensors/exercises/2_broadcasting.h"

#include <algorithm>
#include <stdexcept>

namespace mine {

// The gap is right only where both shapes are the same.
// ---- the gap ----
Sizes result_shape(const Sizes& a, [[maybe_unused]] const Sizes& b) { return a; }

int64_t source(int64_t n, [[maybe_unused]] const Sizes& shape, [[maybe_unused]] const Sizes& from) { return n; }
// ---- end of the gap ----

}  // namespace mine
