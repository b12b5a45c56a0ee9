#include "tutorials/27_decoder/exercises/1_top_p.h"

#include <algorithm>
#include <numeric>

namespace mine {

// | // The gap keeps words while their sum does not exceed top_p. What if the first word alone has more?
std::vector<double> nucleus(const std::vector<double>& p, double top_p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  std::vector<double> out(p.size());
  double sum = 0;
  // ---- the gap: which words are kept? ----
  // | for (size_t w : order)
  // |   if (sum + p[w] <= top_p) sum += out[w] = p[w];
  // ---- filled ----
  for (size_t w : order)
    if (sum < top_p) sum += out[w] = p[w];
  // ---- end of the gap ----
  for (double& q : out) q /= sum;
  return out;
}

}  // namespace mine
