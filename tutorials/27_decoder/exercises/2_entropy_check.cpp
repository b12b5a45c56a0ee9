// Hints, common mistakes and checks of exercise 27.2.
#include "tutorials/27_decoder/exercises/2_entropy.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Grammar;

double choice(double q) { return -q * std::log(q) - (1 - q) * std::log(1 - q); }  // the entropy of one choice

const std::vector<app::Mistake<decltype(&mine::solved)>> mistakes{
    {"This is the first choice alone: after w_2 there is another A, with probability q",
     [](double q) {
       return Grammar{choice(q), 1};
     }},
    {"The length is right. The entropy is still that of one choice: solve H = choice + q H",
     [](double q) {
       return Grammar{choice(q), 1 / (1 - q)};
     }},
    {"The entropy is right. The length is still 1: solve L = 1 + q L",
     [](double q) {
       return Grammar{choice(q) / (1 - q), 1};
     }},
    {"You divided by q: with H = choice + q H, H (1 - q) = choice",
     [](double q) {
       return Grammar{choice(q) / q, 1 / q};
     }},
    {"You counted two choices and no more: the second A may go on, too. Put H on both sides and solve",
     [](double q) {
       return Grammar{choice(q) + q * choice(q), 1 + q};
     }},
    {"Your mean length counts the words w_2 only: w_1 is a word, too",
     [](double q) {
       return Grammar{choice(q) / (1 - q), q / (1 - q)};
     }},
    {"Your entropy is in bits: use the natural logarithm",
     [](double q) {
       return Grammar{choice(q) / std::log(2.0) / (1 - q), 1 / (1 - q)};
     }},
    {"Your entropy has the wrong sign: log p is negative, -p log p positive",
     [](double q) {
       return Grammar{-choice(q) / (1 - q), 1 / (1 - q)};
     }},
    {"Your entropy has the term of w_2 only: w_1 is chosen with probability 1 - q, which adds -(1 - q) log(1 - q)",
     [](double q) {
       return Grammar{-q * std::log(q) / (1 - q), 1 / (1 - q)};
     }},
};

void examine(app::Exercise& e, const decltype(&mine::solved)& solved) {
  for (double q : {0.4, 0.15, 0.9}) {
    double entropy = 0, length = 0;  // over the sentences themselves: n times w_2, then w_1
    for (int n = 0; n < 2000; ++n) {
      double p = std::pow(q, n) * (1 - q);
      if (p <= 0) break;
      entropy -= p * std::log(p), length += p * (n + 1);
    }
    Grammar ours = solved(q);
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
  return e.run(argc, argv, mine::solved, examine, mistakes);
}
