#include "tutorials/19_coverage_and_monotonic/exercises/3_chunks.h"

#include <algorithm>
#include <cmath>

namespace mine {

Expected mocha(const Rows& p, const Rows& u, std::size_t w) {
  const std::size_t T = p.size(), S = p[0].size();
  Expected out{Rows(T, std::vector<double>(S, 0)), Rows(T, std::vector<double>(S, 0))};
  // ---- the gap, about 20 lines ----
  // | // 1. `before` [S]: alpha of the query before, 1 at key 0 for the first query.
  // | // 2. For each query: go through the keys with q, and fill alpha[t]. Then alpha[t] becomes `before`.
  // | // 3. For each key k of the query: the chunk of keys from max(0, k - w + 1) to k. Distribute alpha[t][k] over the
  // | //    chunk with the softmax of its scores u[t].
  // ---- filled ----
  std::vector<double> before(S, 0);
  before[0] = 1;
  for (std::size_t t = 0; t < T; ++t) {
    double q = 0;
    for (std::size_t s = 0; s < S; ++s) {
      q += before[s];
      out.alpha[t][s] = p[t][s] * q;
      q *= 1 - p[t][s];
    }
    before = out.alpha[t];
    for (std::size_t k = 0; k < S; ++k) {
      const std::size_t first = k + 1 >= w ? k + 1 - w : 0;
      const double largest = *std::max_element(u[t].begin() + static_cast<std::ptrdiff_t>(first),
                                               u[t].begin() + static_cast<std::ptrdiff_t>(k + 1));
      double total = 0;
      for (std::size_t l = first; l <= k; ++l) total += std::exp(u[t][l] - largest);
      for (std::size_t s = first; s <= k; ++s) out.beta[t][s] += out.alpha[t][k] * std::exp(u[t][s] - largest) / total;
    }
  }
  // ---- end of the gap ----
  return out;
}

}  // namespace mine
