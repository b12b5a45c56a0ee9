#include "tutorials/18_copy_and_point/exercises/3_copynet.h"

#include <algorithm>
#include <cmath>

namespace mine {

CopyNet copynet(const std::vector<double>& g, const std::vector<double>& c, const std::vector<std::size_t>& x,
                std::size_t size, std::size_t y) {
  CopyNet result{std::vector<double>(size, 0), 0, std::vector<double>(g.size(), 0), std::vector<double>(c.size(), 0)};
  // ---- the gap, about 25 lines ----
  // | // 1. The maximum of all scores that count: those of g, and those of c at places that are not padding.
  // | // 2. The exponentials exp(score - maximum), their sum Z, and P: each word of the vocabulary first, then every
  // | //    place adds to the word that it has.
  // | // 3. The loss, from P[y].
  // | // 4. The two gradients. Z and the exponentials have the same factor, so it cancels.
  // ---- filled ----
  double most = *std::max_element(g.begin(), g.end());
  for (std::size_t s = 0; s < c.size(); ++s)
    if (x[s] != kPadding) most = std::max(most, c[s]);
  double Z = 0;
  for (double score : g) Z += std::exp(score - most);
  for (std::size_t s = 0; s < c.size(); ++s)
    if (x[s] != kPadding) Z += std::exp(c[s] - most);
  for (std::size_t w = 0; w < g.size(); ++w) {
    result.dg[w] = std::exp(g[w] - most) / Z;
    result.P[w] += result.dg[w];
  }
  for (std::size_t s = 0; s < c.size(); ++s) {
    if (x[s] == kPadding) continue;
    result.dc[s] = std::exp(c[s] - most) / Z;
    result.P[x[s]] += result.dc[s];
  }
  result.loss = -std::log(result.P[y]);
  if (y < g.size()) result.dg[y] -= result.dg[y] / result.P[y];
  for (std::size_t s = 0; s < c.size(); ++s)
    if (x[s] == y) result.dc[s] -= result.dc[s] / result.P[y];
  // ---- end of the gap ----
  return result;
}

}  // namespace mine
