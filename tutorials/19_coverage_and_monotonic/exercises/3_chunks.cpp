#include "tutorials/19_coverage_and_monotonic/exercises/3_chunks.h"

#include <algorithm>
#include <cmath>

namespace mine {

Expected mocha(const Rows& p, [[maybe_unused]] const Rows& u, [[maybe_unused]] std::size_t w) {
  const std::size_t T = p.size(), S = p[0].size();
  Expected out{Rows(T, std::vector<double>(S, 0)), Rows(T, std::vector<double>(S, 0))};
  // ---- the gap, about 20 lines ----
  // 1. `before` [S]: alpha of the query before, 1 at key 0 for the first query.
  // 2. For each query: go through the keys with q, and fill alpha[t]. Then alpha[t] becomes `before`.
  // 3. For each key k of the query: the chunk of keys from max(0, k - w + 1) to k. Distribute alpha[t][k] over the
  //    chunk with the softmax of its scores u[t].
  // ---- end of the gap ----
  return out;
}

}  // namespace mine
