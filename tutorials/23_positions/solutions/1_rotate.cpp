// Exercise 23.1: turn by the place.
//
//   y_1 = x_1 cos(p t) - x_2 sin(p t)      y_2 = x_1 sin(p t) + x_2 cos(p t)         p: place, t: angle of one place
//
// A product of a turned query and a turned key must depend on how far apart they stand, not on where. The checks
// shift both places.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using Pair = std::array<double, 2>;

Pair turned(const Pair& x, double p, double t) {
  double c = std::cos(p * t), s = std::sin(p * t);
  // ---- the gap, filled ----
  return {x[0] * c - x[1] * s, x[0] * s + x[1] * c};
  // ---- end of the gap ----
}

double product(const Pair& a, const Pair& b) { return a[0] * b[0] + a[1] * b[1]; }

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("23", 1, "Turn by the place");
  e.hint("A turn keeps lengths. Does yours?");
  e.hint("The formula stands above; both numbers of the result need both of x.");
  return e.run(argc, argv, [&] {
    Pair q{0.3, -1.2}, k{0.8, 0.5};
    e.check("length after a turn", product(turned(q, 3, 0.7), turned(q, 3, 0.7)), product(q, q), 1e-12);
    e.check("place 0", turned(q, 0, 0.7)[1], q[1], 1e-12);
    for (double shift : {1.0, 5.0, 40.0})
      e.check(fmt::format("the product, both places {} further", shift),
              product(turned(q, 2 + shift, 0.7), turned(k, 5 + shift, 0.7)),
              product(turned(q, 2, 0.7), turned(k, 5, 0.7)), 1e-9);
  });
}
