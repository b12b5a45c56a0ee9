// Exercise 22.2: two heads by hand.
//
//   words in a ring, name n of R as a point of the circle, x_n = (cos a n, sin a n) with a = 2 pi / R
//   head h looks at the key with the largest product:  (x_n W_h) . x_m
//
// Choose W_1 [2, 2] so that n looks at n + 1, and W_2 so that it looks at n - 1. The checks ask who
// looks at whom.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using Matrix = std::array<std::array<double, 2>, 2>;

std::array<Matrix, 2> queries(double a) {
  // ---- the gap, filled ----
  double c = std::cos(a), s = std::sin(a);
  return {{{{{c, s}, {-s, c}}}, {{{c, -s}, {s, c}}}}};
  // ---- end of the gap ----
}

int looks_at(const Matrix& w, int n, int R, double a) {
  double x = std::cos(a * n), y = std::sin(a * n);
  double q0 = x * w[0][0] + y * w[1][0], q1 = x * w[0][1] + y * w[1][1];
  int best = 0;
  auto score = [&](int m) { return q0 * std::cos(a * m) + q1 * std::sin(a * m); };
  for (int m = 1; m < R; ++m)
    if (score(m) > score(best) + 1e-9) best = m;
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 2, "Two heads by hand");
  e.hint("A matrix can turn a point of the plane by an angle. By which?");
  e.hint("x W is a row times a matrix: turning by a is {{cos a, sin a}, {-sin a, cos a}}.");
  return e.run(argc, argv, [&] {
    for (int R : {5, 8}) {
      double a = 2 * std::acos(-1.0) / R;
      for (int n = 0; n < R; ++n) {
        e.check(fmt::format("head 1 of {} looks at", n), looks_at(queries(a)[0], n, R, a), (n + 1) % R, 0.1);
        e.check(fmt::format("head 2 of {} looks at", n), looks_at(queries(a)[1], n, R, a), (n + R - 1) % R, 0.1);
      }
    }
  });
}
