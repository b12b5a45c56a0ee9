// Hints and checks of exercise 14.3.
#include "tutorials/14_scores/exercises/3_bump.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  auto score = [&](double q, double k) {
    double sum = 0;
    for (const mine::Unit& h : mine::units()) sum += h.v * std::tanh(h.w * q + h.u * k + h.b);
    return sum;
  };
  for (int q = -3; q <= 3; ++q) {
    int best = -3, ahead = 0;
    for (int k = -3; k <= 3; ++k) {
      if (score(q, k) > score(q, best)) best = k;
      ahead += k != q && score(q, k) > score(q, q) - 1e-9;
    }
    e.check(fmt::format("the key with the largest score for the query {}", q), best, q, 0);
    e.check(fmt::format("the number of other keys with at least the score of key {0} for the query {0}", q), ahead, 0,
            0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 3, "An additive score by hand");
  e.hint("Only q - k should count. Which w and u give that?");
  e.hint("tanh(x + 1) is a step up at x = -1. Minus tanh(x - 1), a step down at x = 1, it makes a bump at x = 0.");
  e.hint("w = 1 and u = -1 in both units; v and b have one sign in the first unit and the other sign in the second.");
  e.insight(
      "A bump needs two steps in different places, and a bias is what moves a step. The dot product has no such bump:\n"
      "there a longer key always scores more in its direction, however near the query is.",
      "./heed run 15");
  return e.run(argc, argv, examine);
}
