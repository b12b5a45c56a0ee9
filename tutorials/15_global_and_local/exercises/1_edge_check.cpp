// Hints and checks of exercise 15.1.
#include "tutorials/15_global_and_local/exercises/1_edge.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  auto factor = [&](double distance, double D) {
    return std::exp(-distance * distance / (2 * mine::sigma(D) * mine::sigma(D)));
  };
  for (double D : {1.0, 3.0, 10.0}) {
    e.check(fmt::format("the factor at the centre for D = {}", D), factor(0, D), 1, 1e-12);
    e.check(fmt::format("the factor at half the distance D = {}", D), factor(D / 2, D), std::exp(-0.5), 1e-12);
    e.check(fmt::format("the factor at the edge for D = {}", D), factor(D, D), std::exp(-2.0), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 1, "How wide is the Gaussian?");
  e.hint("At the edge the distance is D, and the factor is to be e^-2: D^2 / (2 sigma^2) = 2.");
  e.hint("Solve for sigma: sigma^2 = D^2 / 4.");
  e.insight(
      "The window ends at two standard deviations, where a Gaussian has fallen to 14 % of its height: cutting there\n"
      "loses little, and the weight of a position changes smoothly while the centre moves.",
      "./heed exercise 15 2");
  return e.run(argc, argv, examine);
}
