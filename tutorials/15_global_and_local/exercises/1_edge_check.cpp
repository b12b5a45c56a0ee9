// Hints, common mistakes and checks of exercise 15.1.
#include "tutorials/15_global_and_local/exercises/1_edge.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

const std::vector<app::Mistake<decltype(&mine::sigma)>> mistakes{
    {"sigma = D gives the factor e^-1/2 at the edge: set D^2 / (2 sigma^2) equal to 2 and solve for sigma",
     [](double D) { return D; }},
    {"This is sigma^2: take its root", [](double D) { return D * D / 4; }},
    {"The 2 of 2 sigma^2 is missing: you solved D^2 / sigma^2 = 2, and the factor at the edge is e^-1",
     [](double D) { return D / std::sqrt(2.0); }},
    {"Your Gaussian is too narrow, e^-8 at the edge: the root of sigma^2 = D^2 / 4 is D / 2, not D / 4",
     [](double D) { return D / 4; }},
    {"Your Gaussian is too wide: sigma is a half of D, not twice D", [](double D) { return 2 * D; }},
    {"You took the root of D only: sigma^2 = D^2 / 4, so sigma grows in proportion to D",
     [](double D) { return std::sqrt(D) / 2; }},
    {"Your sigma does not depend on D: it must be a share of D", [](double) { return 0.5; }},
};

void examine(app::Exercise& e, const decltype(&mine::sigma)& sigma) {
  auto factor = [&](double distance, double D) { return std::exp(-distance * distance / (2 * sigma(D) * sigma(D))); };
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
  return e.run(argc, argv, mine::sigma, examine, mistakes);
}
