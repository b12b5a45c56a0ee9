#include "tutorials/28_efficient/exercises/1_tiled.h"

#include <cmath>

namespace mine {

// The gap reads every block and computes nothing.
Reading tiled_attention(const Numbers& query, double scale, std::size_t value_width, Blocks& blocks) {
  Numbers a(value_width, 0.0);
  double m = -INFINITY, l = 0;
  while (const Block* block = blocks.next()) {
    // ---- the gap: about 20 lines: scores, maximum, rescaling, sums ----
    (void)block, (void)query, (void)scale, (void)l;
    // ---- end of the gap ----
  }
  // ---- the second gap: the context from a and l, and log_sum_exp ----
  return {a, m};
  // ---- end of the second gap ----
}

}  // namespace mine
