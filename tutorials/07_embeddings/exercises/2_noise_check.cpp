// Hints and checks of exercise 07.2.
#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/07_embeddings/exercises/2_noise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;

void examine(app::Exercise& e) {
  const Vector count{81, 16, 1, 0, 256};
  for (double power : {1.0, 0.75, 0.0})
    e.check(fmt::format("p for power {}", power), mine::probabilities(count, power),
            power == 1      ? Vector{81 / 354.0, 16 / 354.0, 1 / 354.0, 0, 256 / 354.0}
            : power == 0.75 ? Vector{27 / 100.0, 8 / 100.0, 1 / 100.0, 0, 64 / 100.0}
                            : Vector{0.25, 0.25, 0.25, 0, 0.25},
            1e-12);
  const Vector p{0.25, 0.5, 0, 0.125, 0.125};
  Vector words;
  for (double r : {0.0, 0.24, 0.25, 0.7, 0.75, 0.875, 0.999}) words.push_back(static_cast<double>(mine::draw(p, r)));
  e.check("words for r = 0, 0.24, 0.25, 0.7, 0.75, 0.875, 0.999", words, {0, 0, 1, 1, 3, 4, 4}, 0);
  Generator rng(1);
  Vector seen(p.size(), 0.0);
  for (int i = 0; i < 100000; ++i) seen.at(mine::draw(p, rng.uniform())) += 1e-5;
  e.check("shares of 100000 draws", seen, p, 0.01);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("07", 2, "Words drawn by chance");
  e.hint("std::pow(0, 0) is 1: a word with count 0 needs a line of its own.");
  e.hint("Raise all counts to the power, add the results up, and divide each by the sum.");
  e.hint("draw: subtract p[w] from r, word by word; the word at which r becomes negative is the one.");
  e.insight(
      "The power 3/4 lets rare words be drawn more often than they occur: 1 % instead of 0.3 % for the count 1 here.\n"
      "draw walks through the vocabulary; for large ones a table or binary search in the cumulative sums is faster.",
      "./heed exercise 07 3");
  return e.run(argc, argv, examine);
}
