// Hints, common mistakes and checks of exercise 14.3.
#include "tutorials/14_scores/exercises/3_bump.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Units = std::array<mine::Unit, 2>;

const std::vector<app::Mistake<decltype(&mine::units)>> mistakes{
    {"Your score only rises with q - k, so the smallest key wins every query: let one unit step up and the other step "
     "down, with biases that move the two steps apart",
     [] {
       return Units{{{1, 1, -1, 0}, {1, 1, -1, 0}}};
     }},
    {"Your score only falls with q - k, so the largest key wins every query: let one unit step up and the other step "
     "down, with biases that move the two steps apart",
     [] {
       return Units{{{-1, 1, -1, 0}, {-1, 1, -1, 0}}};
     }},
    {"All keys have the same score: either u is 0, or the two units cancel because their biases are equal. One must "
     "step "
     "before the other",
     [] {
       return Units{{{1, 1, -1, 1}, {-1, 1, -1, 1}}};
     }},
    {"Your bump is a dip: the equal key has the smallest score. Exchange the signs of v_1 and v_2",
     [] {
       return Units{{{-1, 1, -1, 1}, {1, 1, -1, -1}}};
     }},
    {"The key that is the negative of the query wins: your score depends on q + k. Give w and u opposite signs",
     [] {
       return Units{{{1, 1, 1, 1}, {-1, 1, 1, -1}}};
     }},
    {"The key 0 wins every query: your score does not depend on the query (w is 0)",
     [] {
       return Units{{{1, 0, -1, 1}, {-1, 0, -1, -1}}};
     }},
    {"The keys q and q + 1 tie: your bump lies between them because only one unit has a bias. Use b and -b",
     [] {
       return Units{{{1, 1, -1, 1}, {-1, 1, -1, 0}}};
     }},
    {"The key q - 1 wins: your bump is not at q - k = 0. The two biases must be b and -b",
     [] {
       return Units{{{1, 1, -1, 1}, {-1, 1, -1, -3}}};
     }},
};

void examine(app::Exercise& e, const decltype(&mine::units)& units) {
  auto score = [&](double q, double k) {
    double sum = 0;
    for (const mine::Unit& h : units()) sum += h.v * std::tanh(h.w * q + h.u * k + h.b);
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
  return e.run(argc, argv, mine::units, examine, mistakes);
}
