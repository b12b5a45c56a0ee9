// Exercise 27.2: the entropy of a grammar.
//
//   A -> w_1 | w_2 A            with the probabilities 1 - q and q: any number of w_2, then w_1
//
// Derive the entropy of what A says, in nats, its mean length in words, and from them the entropy a word.
//
//   H(A) = sum over the rules of p (-log p + H of what is left to say),      L(A) = sum of p (1 + L of it)
//
// One choice alone is not the sentence.
// The checks sum over the sentences themselves: w_2 n times and then w_1 has the probability q^n (1 - q).
#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

struct Grammar {
  double entropy, length;  // H(A) in nats, L(A) in words
};

Grammar solved(double q) {
  // ---- the gap, filled ----
  double choice = -q * std::log(q) - (1 - q) * std::log(1 - q);  // H = choice + q H, L = 1 + q L
  return {choice / (1 - q), 1 / (1 - q)};
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 2, "The entropy of a grammar");
  e.hint("Behind w_2 there is again an A to say: H(A) stands on both sides.");
  e.hint("H = (entropy of one choice) + q H. Solve for H; likewise L = 1 + q L.");
  return e.run(argc, argv, [&] {
    for (double q : {0.5, 0.15, 0.9}) {
      double entropy = 0, length = 0;
      for (int n = 0; n < 2000; ++n) {
        double p = std::pow(q, n) * (1 - q);
        if (p <= 0) break;
        entropy -= p * std::log(p), length += p * (n + 1);
      }
      Grammar mine = solved(q);
      e.check(fmt::format("the entropy for q = {}", q), mine.entropy, entropy, 1e-6);
      e.check(fmt::format("the mean length for q = {}", q), mine.length, length, 1e-6);
      e.check(fmt::format("the entropy a word for q = {}", q), mine.entropy / mine.length, entropy / length, 1e-6);
    }
  });
}
