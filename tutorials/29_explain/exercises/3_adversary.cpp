#include "tutorials/29_explain/exercises/3_adversary.h"

#include <cmath>
#include <cstddef>

namespace mine {

// ---- the gap, first half: helpers, if you want some ----
// ---- filled: the entropy and the divergence ----
namespace {

double entropy(const std::vector<double>& p) {
  double h = 0;
  for (double x : p)
    if (x > 0) h -= x * std::log(x);
  return h;
}

double divergence(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> m = a;
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = (a[i] + b[i]) / 2;
  return entropy(m) - entropy(a) / 2 - entropy(b) / 2;
}

}  // namespace
// ---- end of the first half ----

std::vector<double> adversary(const std::vector<double>& w, const std::vector<double>& z) {
  // ---- the gap: about 25 lines; functions for H and JSD may stand above this one ----
  // | return w;
  // ---- filled ----
  double y = 0, far = -1;
  for (std::size_t i = 0; i < z.size(); ++i) y += w[i] * z[i];
  std::vector<double> best = w;
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t j = 0; j < z.size(); ++j) {
      if (z[i] > y || z[j] < y) continue;
      std::vector<double> v(z.size(), 0);
      v[j] = (y - z[i]) / (z[j] - z[i]);  // v_i z_i + v_j z_j = y and v_i + v_j = 1
      v[i] = 1 - v[j];
      double d = divergence(w, v);
      if (d > far) far = d, best = v;
    }
  return best;
  // ---- end of the gap ----
}

}  // namespace mine
