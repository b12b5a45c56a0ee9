#include "tutorials/28_efficient/exercises/2_linear.h"

#include <cmath>

namespace mine {

// | // The gap attends to the word itself only.
Numbers linear_step(State& state, const Numbers& q, const Numbers& k, const Numbers& v) {
  // ---- the gap: about 15 lines: features, the two sums, the quotient ----
  // | return v;
  // ---- filled ----
  auto phi = [](double x) { return x < 0 ? std::exp(x) : x + 1; };
  if (state.z.empty()) state.z.assign(k.size(), 0.0), state.M.assign(k.size(), Numbers(v.size(), 0.0));
  Numbers c(v.size(), 0.0);
  double whole = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    const double key = phi(k[i]), query = phi(q[i]);
    state.z[i] += key;
    whole += query * state.z[i];
    for (std::size_t j = 0; j < v.size(); ++j) {
      state.M[i][j] += key * v[j];
      c[j] += query * state.M[i][j];
    }
  }
  for (double& x : c) x /= whole;
  return c;
  // ---- end of the gap ----
}

}  // namespace mine
