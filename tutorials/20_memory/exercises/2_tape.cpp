#include "tutorials/20_memory/exercises/2_tape.h"

#include <algorithm>
#include <cmath>

namespace mine {

Summary summary([[maybe_unused]] const Rows& h, [[maybe_unused]] const Rows& c, [[maybe_unused]] const Rows& keys,
                [[maybe_unused]] const Vector& q, const Vector& v, [[maybe_unused]] std::size_t tape) {
  Summary out{Vector(v.size(), 0), Vector(v.size(), 0)};
  // ---- the gap, about 15 lines: where the tape begins, the scores, their softmax, two weighted sums ----
  // ---- end of the gap ----
  return out;
}

}  // namespace mine
