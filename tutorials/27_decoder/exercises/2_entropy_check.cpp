// Hints and checks of exercise 27.2.
#include "tutorials/27_decoder/exercises/2_entropy.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Grammar;

void examine(app::Exercise& e) {
  for (double q : {0.4, 0.15, 0.9}) {
    double entropy = 0, length = 0;  // over the sentences themselves: n times w_2, then w_1
    for (int n = 0; n < 2000; ++n) {
      double p = std::pow(q, n) * (1 - q);
      if (p <= 0) break;
      entropy -= p * std::log(p), length += p * (n + 1);
    }
    Grammar ours = mine::solved(q);
    e.check(fmt::format("the entropy for q = {}", q), ours.entropy, entropy, 1e-6);
    e.check(fmt::format("the mean length for q = {}", q), ours.length, length, 1e-6);
    e.check(fmt::format("the entropy per word for q = {}", q), ours.entropy / ours.length, entropy / length, 1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 2, "The entropy of a grammar");
  e.hint("After w_2 there is another A: H(A) is on both sides of the equation.");
  e.hint("H = (entropy of one choice) + q H. Solve for H; likewise L = 1 + q L.");
  e.insight(
      "The ratio is the entropy of one choice again: each word is one choice. A language model's loss cannot get "
      "below\n"
      "it, so the distance to it, and not to 0, says how much there is left to learn.",
      "./heed exercise 27 3");
  return e.run(argc, argv, examine);
}
