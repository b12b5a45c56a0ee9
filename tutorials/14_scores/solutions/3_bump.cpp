#include "tutorials/14_scores/exercises/3_bump.h"

namespace mine {

std::array<Unit, 2> units() {
  // ---- the gap, filled: two units that make a bump ----
  return {{{1, 1, -1, 1}, {-1, 1, -1, -1}}};
  // ---- end of the gap ----
}

}  // namespace mine
