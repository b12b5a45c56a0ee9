#include "tutorials/24_encoder/exercises/2_layer_norm.h"

#include <cmath>

namespace mine {

// | // The gap has what is found in well-known code: it divides by d - 1, and adds eps outside the root.
std::vector<double> layer_norm(const std::vector<double>& x, double eps) {
  auto d = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (double v : x) mean += v / d;
  for (double v : x) squares += (v - mean) * (v - mean);
  std::vector<double> y;
  // ---- the gap: what is the divisor? ----
  // | for (double v : x) y.push_back((v - mean) / (std::sqrt(squares / (d - 1)) + eps));
  // ---- filled ----
  for (double v : x) y.push_back((v - mean) / std::sqrt(squares / d + eps));
  // ---- end of the gap ----
  return y;
}

}  // namespace mine
