#include "tutorials/14_scores/exercises/3_bump.h"

namespace mine {

// | // The two units of the gap are equal and have no bias: their score rises with q - k, so the smallest key always
// | // wins.
std::array<Unit, 2> units() {
  // ---- the gap: two units that make a bump ----
  // | return {{{1, 1, -1, 0}, {1, 1, -1, 0}}};
  // ---- filled ----
  return {{{1, 1, -1, 1}, {-1, 1, -1, -1}}};
  // ---- end of the gap ----
}

}  // namespace mine
