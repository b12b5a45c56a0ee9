// Exercise 15.2: the gradient that reaches p.
//
//   w_s = u_s exp(-(s - p)^2 / (2 sigma^2)),  u = softmax(e)       L = sum_s g_s w_s
//
// Derive dL/dp; the cut at round(p) has no derivative and is left out here. The checks compare with central
// differences.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

struct Row {
  std::vector<double> u, g;
  double sigma;
};

double weight(const Row& r, double p, int s) {
  return r.u[static_cast<std::size_t>(s)] * std::exp(-(s - p) * (s - p) / (2 * r.sigma * r.sigma));
}
double loss(const Row& r, double p) {
  double L = 0;
  for (int s = 0; s < static_cast<int>(r.u.size()); ++s) L += r.g[static_cast<std::size_t>(s)] * weight(r, p, s);
  return L;
}

double slope([[maybe_unused]] const Row& r, [[maybe_unused]] double p) {
  // ---- the gap, filled ----
  double d = 0;
  for (int s = 0; s < static_cast<int>(r.u.size()); ++s)
    d += r.g[static_cast<std::size_t>(s)] * weight(r, p, s) * (s - p) / (r.sigma * r.sigma);
  return d;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 2, "The gradient that reaches p");
  e.hint("d/dp of -(s - p)^2 / (2 sigma^2) is (s - p) / sigma^2.");
  e.hint("An exponential's derivative is itself times that of its exponent.");
  return e.run(argc, argv, [&] {
    Row row{{0.1, 0.2, 0.4, 0.2, 0.1}, {1, -2, 0.5, 3, -1}, 1.5};
    for (double p : {0.3, 2.0, 3.7}) {
      double numeric = (loss(row, p + 1e-5) - loss(row, p - 1e-5)) / 2e-5;
      e.check(fmt::format("dL/dp at p = {}", p), slope(row, p), numeric, 1e-7);
    }
  });
}
