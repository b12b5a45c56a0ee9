#include "tutorials/08_recurrent/exercises/3_truncated.h"

namespace mine {

using namespace heed;

// | // The gap passes the state on unchanged: its values are right, but the graph grows with every step.
Variable begin_step(const Variable& h, int64_t t, int64_t window) {
  // ---- the gap: cut the graph at each bar ----
  // | return h;
  // ---- filled ----
  return t % window == 0 ? h.detach() : h;
  // ---- end of the gap ----
}

}  // namespace mine
