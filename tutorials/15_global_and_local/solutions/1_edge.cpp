// Exercise 15.1: how wide must the Gaussian be?
//
//   factor(distance) = exp(-distance^2 / (2 sigma^2))
//
// Luong, Pham and Manning choose sigma so that the factor is e^-2 at the window's edge, at the distance D from the
// centre, whatever D is. The checks ask for the factor at the edge and half-way.
#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

double sigma(double D) {
  // ---- the gap, filled ----
  return D / 2;
  // ---- end of the gap ----
}

double factor(double distance, double D) { return std::exp(-distance * distance / (2 * sigma(D) * sigma(D))); }

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 1, "How wide is the Gaussian?");
  e.hint("Set D^2 / (2 sigma^2) equal to 2 and solve for sigma.");
  return e.run(argc, argv, [&] {
    for (double D : {1.0, 3.0, 10.0}) {
      e.check(fmt::format("the factor at the edge, D = {}", D), factor(D, D), std::exp(-2.0), 1e-12);
      e.check(fmt::format("the factor half-way, D = {}", D), factor(D / 2, D), std::exp(-0.5), 1e-12);
    }
  });
}
