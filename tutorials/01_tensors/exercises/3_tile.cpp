#include "tutorials/01_tensors/exercises/3_tile.h"

namespace mine {

// ---- the gap ----
double touches_formula([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K) { return 0; }

double touches_loop_order([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K) { return 0; }

double touches_tile([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K,
                    [[maybe_unused]] double rows, [[maybe_unused]] double columns) {
  return 0;
}

Tile best_tile([[maybe_unused]] int64_t registers) { return {1, 1}; }
// ---- end of the gap ----

}  // namespace mine
