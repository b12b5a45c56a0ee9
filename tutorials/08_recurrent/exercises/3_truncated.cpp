#include "tutorials/08_recurrent/exercises/3_truncated.h"

namespace mine {

using namespace heed;

// The gap passes the state on unchanged: its values are right, but the graph grows with every step.
Variable begin_step(const Variable& h, [[maybe_unused]] int64_t t, [[maybe_unused]] int64_t window) {
  // ---- the gap: cut the graph at each bar ----
  return h;
  // ---- end of the gap ----
}

}  // namespace mine
