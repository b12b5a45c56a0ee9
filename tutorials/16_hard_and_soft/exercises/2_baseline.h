// Exercise 16.2: the best baseline.
//
// One choice among S, with the weights w = softmax(e); the reward of choice z is r_z. The estimate of the gradient with
// respect to the scores e is
//
//   g(z) = (r_z - b) u(z)        u(z) = one_hot(z) - w
//
// Its mean does not depend on b, so its variance, summed over the S elements, is sum_z w_z (r_z - b)^2 |u(z)|^2 minus a
// constant. Derive the b that minimises it. Greensmith, Bartlett and Baxter, JMLR 5, 2004.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

double best_baseline(const std::vector<double>& w, const std::vector<double>& r);

inline double squared_length(const std::vector<double>& w, std::size_t z) {  // |u(z)|^2, given
  double total = 0;
  for (std::size_t s = 0; s < w.size(); ++s) total += ((s == z ? 1 : 0) - w[s]) * ((s == z ? 1 : 0) - w[s]);
  return total;
}

}  // namespace mine
