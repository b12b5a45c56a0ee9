#include "tutorials/16_hard_and_soft/exercises/3_all_outcomes.h"

#include <algorithm>
#include <cmath>

namespace mine {

Estimator estimator(const Table& e, const Reward& r, double b) {
  const std::size_t T = e.size(), S = e[0].size();
  Estimator result{0, Table(T, std::vector<double>(S, 0)), 0};
  // ---- the gap, about 30 lines ----
  // | // 1. w [T][S]: the softmax of each row of e.
  // | // 2. A loop over all outcomes. Start with z = (0, .., 0) and count like the odometer of a car: add 1 to z[0]; a
  // | //    place that reaches S becomes 0 and adds 1 to the next one. When the last place overflows, all have been
  // | //    visited.
  // | // 3. For each outcome: p(z), r(z), and the T S numbers g(z). Add p(z) r(z) to the reward, p(z) g(z) to the
  // | //    gradient, and p(z) |g(z)|^2 to a sum of squares.
  // | // 4. After the loop: V = (that sum) - |G|^2.
  // ---- filled ----
  Table w = e;
  for (auto& row : w) {  // softmax
    const double largest = *std::max_element(row.begin(), row.end());
    double total = 0;
    for (double& x : row) {
      x = std::exp(x - largest);
      total += x;
    }
    for (double& x : row) x /= total;
  }
  double squares = 0;
  Outcome z(T, 0);
  for (bool more = true; more;) {
    double p = 1;
    for (std::size_t t = 0; t < T; ++t) p *= w[t][z[t]];
    const double reward = r(z);
    result.reward += p * reward;
    for (std::size_t t = 0; t < T; ++t) {
      for (std::size_t s = 0; s < S; ++s) {
        const double g = (reward - b) * ((s == z[t] ? 1 : 0) - w[t][s]);
        result.gradient[t][s] += p * g;
        squares += p * g * g;
      }
    }
    std::size_t place = 0;  // the next outcome
    while (place < T && ++z[place] == S) z[place++] = 0;
    more = place < T;
  }
  result.variance = squares;
  for (const auto& row : result.gradient)
    for (double mean : row) result.variance -= mean * mean;
  // ---- end of the gap ----
  return result;
}

}  // namespace mine
