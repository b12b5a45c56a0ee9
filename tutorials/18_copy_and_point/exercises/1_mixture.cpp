#include "tutorials/18_copy_and_point/exercises/1_mixture.h"

namespace mine {

// | // The gap writes words of the vocabulary only, and leaves the rest of the probability out.
std::vector<double> mixture(double g, const std::vector<double>& p, const std::vector<double>& a,
                            const std::vector<std::size_t>& x, std::size_t size) {
  std::vector<double> P(size, 0);
  for (std::size_t w = 0; w < p.size(); ++w) P[w] = g * p[w];
  // ---- the gap: add what is copied ----
  // ---- filled ----
  for (std::size_t s = 0; s < x.size(); ++s) P[x[s]] += (1 - g) * a[s];
  // ---- end of the gap ----
  return P;
}

}  // namespace mine
