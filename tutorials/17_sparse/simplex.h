// Sparsemax from its definition: the weights nearest to the scores.
//
//   sparsemax(e) = argmin |w - e|^2  over  w >= 0, sum_s w_s = 1
//
// The weights that are allowed form the simplex. Suppose that we knew the support A, the keys whose weight is not 0.
// Then the nearest point shifts all scores of A by the same number tau:
//
//   w_s = e_s - tau  for s in A, else 0         tau = (sum_{s in A} e_s - 1) / |A|
//
// With S keys there are 2^S - 1 supports. This file tries them all, leaves out those that give a negative weight, and
// keeps the nearest of the others. That is slow and needs no idea, so it is what the fast method of
// nn/attention/normalisers/sparsemax.h is compared with (Martins and Astudillo, ICML 2016, proposition 1).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sparse {

using Row = std::vector<double>;

inline double squared_distance(const Row& a, const Row& b) {
  double total = 0;
  for (std::size_t s = 0; s < a.size(); ++s) total += (a[s] - b[s]) * (a[s] - b[s]);
  return total;
}

inline Row nearest_by_enumeration(const Row& e) {
  Row best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t support = 1; support < (std::size_t{1} << e.size()); ++support) {
    double sum = 0, size = 0;
    for (std::size_t s = 0; s < e.size(); ++s)
      if (support >> s & 1) sum += e[s], ++size;
    const double tau = (sum - 1) / size;
    Row w(e.size(), 0);
    for (std::size_t s = 0; s < e.size(); ++s)
      if (support >> s & 1) w[s] = e[s] - tau;
    if (*std::min_element(w.begin(), w.end()) < 0) continue;
    if (const double distance = squared_distance(w, e); distance < least) least = distance, best = w;
  }
  return best;
}

// The control: an obvious way to get zeros that is not the nearest point. Negative scores become 0, and the rest is
// divided by its sum.
inline Row clipped_and_divided(Row e) {
  double total = 0;
  for (double& x : e) x = std::max(x, 0.0), total += x;
  for (double& x : e) x = total > 0 ? x / total : 1 / static_cast<double>(e.size());
  return e;
}

inline double largest_difference(const Row& a, const Row& b) {
  double most = 0;
  for (std::size_t s = 0; s < a.size(); ++s) most = std::max(most, std::abs(a[s] - b[s]));
  return most;
}

}  // namespace sparse
