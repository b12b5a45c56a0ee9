#include "tutorials/17_sparse/exercises/3_entmax.h"

#include <algorithm>
#include <cmath>

namespace mine {

Entmax entmax(const std::vector<double>& e, double alpha, const std::vector<double>& dw) {
  const std::size_t S = e.size();
  Entmax result{std::vector<double>(S, 0), std::vector<double>(S, 0)};
  // ---- the gap, about 25 lines ----
  // | // 1. u_s = (alpha - 1) e_s, and the largest u. If it is -inf, return the zeros.
  // | // 2. Bisection, 60 steps, with low = largest - 1 and high = largest: compute the sum of the weights for the tau
  // | //    in the middle. If it is at least 1, tau is too small and low moves to the middle; otherwise high does.
  // | // 3. The weights with the final tau.
  // | // 4. The gradient, over the keys whose weight is above 0.
  // ---- filled ----
  std::vector<double> u;
  for (double x : e) u.push_back((alpha - 1) * x);
  const double largest = *std::max_element(u.begin(), u.end());
  if (largest == -INFINITY) return result;
  auto weight = [&](std::size_t s, double tau) { return std::pow(std::max(u[s] - tau, 0.0), 1 / (alpha - 1)); };
  double low = largest - 1, high = largest;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (std::size_t s = 0; s < S; ++s) sum += weight(s, middle);
    if (sum >= 1)
      low = middle;
    else
      high = middle;
  }
  double slopes = 0, mean = 0;
  for (std::size_t s = 0; s < S; ++s) {
    result.w[s] = weight(s, low);
    if (result.w[s] == 0) continue;
    const double slope = std::pow(result.w[s], 2 - alpha);
    slopes += slope;
    mean += slope * dw[s];
  }
  mean /= slopes;
  for (std::size_t s = 0; s < S; ++s)
    if (result.w[s] > 0) result.de[s] = std::pow(result.w[s], 2 - alpha) * (dw[s] - mean);
  // ---- end of the gap ----
  return result;
}

}  // namespace mine
