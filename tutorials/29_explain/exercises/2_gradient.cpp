#include "tutorials/29_explain/exercises/2_gradient.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace mine {

// A tool: std::inner_product(a.begin(), a.end(), b.begin(), 0.0) is a . b. No score here is larger than 20.
Vector importance(const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant_weights) {
  // ---- the gap: about 15 lines, the weights, y, and then g ----
  // | return Vector(x.size(), 0);
  // ---- filled ----
  auto dot = [](const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
  std::size_t T = x.size();
  Vector s(T), z(T), w(T), g(T);
  double total = 0, y = 0;
  for (std::size_t i = 0; i < T; ++i) s[i] = dot(q, x[i]), z[i] = dot(u, x[i]), total += std::exp(s[i]);
  for (std::size_t i = 0; i < T; ++i) w[i] = std::exp(s[i]) / total, y += w[i] * z[i];
  // dy/dx_i = w_i u + w_i (z_i - y) q, and x_i . u = z_i, x_i . q = s_i
  for (std::size_t i = 0; i < T; ++i) {
    double through_weights = constant_weights ? 0 : (z[i] - y) * s[i];
    g[i] = std::abs(w[i] * (z[i] + through_weights));
  }
  return g;
  // ---- end of the gap ----
}

}  // namespace mine
