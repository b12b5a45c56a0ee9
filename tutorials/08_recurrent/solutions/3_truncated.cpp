#include "tutorials/08_recurrent/exercises/3_truncated.h"

namespace mine {

using namespace heed;

Variable begin_step(const Variable& h, int64_t t, int64_t window) {
  // ---- the gap, filled: cut the graph at each bar ----
  return t % window == 0 ? h.detach() : h;
  // ---- end of the gap ----
}

}  // namespace mine
