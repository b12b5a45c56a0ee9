#include "tutorials/28_efficient/exercises/1_tiled.h"

#include <algorithm>
#include <cmath>

namespace mine {

// | // The gap reads every block and computes nothing.
Reading tiled_attention(const Numbers& query, double scale, std::size_t value_width, Blocks& blocks) {
  Numbers a(value_width, 0.0);
  double m = -INFINITY, l = 0;
  while (const Block* block = blocks.next()) {
    // ---- the gap: about 20 lines: scores, maximum, rescaling, sums ----
    // ---- filled ----
    Numbers e(block->keys.size(), -INFINITY);
    double largest = m;
    for (std::size_t s = 0; s < e.size(); ++s) {
      if (!block->word[s]) continue;
      e[s] = 0;
      for (std::size_t i = 0; i < query.size(); ++i) e[s] += scale * query[i] * block->keys[s][i];
      largest = std::max(largest, e[s]);
    }
    if (largest == -INFINITY) continue;  // padding only so far: exp(-inf - -inf) would be NaN
    const double r = std::exp(m - largest);
    m = largest;
    l *= r;
    for (double& x : a) x *= r;
    for (std::size_t s = 0; s < e.size(); ++s) {
      const double p = std::exp(e[s] - m);  // 0 for padding
      l += p;
      for (std::size_t j = 0; j < a.size() && p > 0; ++j) a[j] += p * block->values[s][j];
    }
    // ---- end of the gap ----
  }
  // ---- the second gap: the context from a and l, and log_sum_exp ----
  // | return {a, m};
  // ---- filled ----
  if (l == 0) return {a, -INFINITY};
  for (double& x : a) x /= l;
  return {a, m + std::log(l)};
  // ---- end of the second gap ----
}

}  // namespace mine
