// Solution of exercise 07.2: words drawn by chance.
//
//   p(w) = count(w)^power / sum over x of count(x)^power
//
// Power 1 draws words as often as they stand in the text, power 0 all alike, 3/4 is what word2vec takes. Words with
// count 0 are never drawn, whatever the power.
//
//   probabilities(count, power)   p, one number for each word
//   draw(p, r)                    the word that the random number r in [0, 1) falls on, when [0, 1) is cut into pieces
//                                 of lengths p[0], p[1], .. in this order
#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

using namespace heed;

using Vector = std::vector<double>;

Vector probabilities(const Vector& count, double power) {
  Vector p(count.size(), 0.0);
  double sum = 0;
  for (size_t w = 0; w < count.size(); ++w) sum += p[w] = count[w] > 0 ? std::pow(count[w], power) : 0;
  for (double& one : p) one /= sum;
  return p;
}

size_t draw(const Vector& p, [[maybe_unused]] double r) {
  for (size_t w = 0; w < p.size(); ++w)
    if ((r -= p[w]) < 0) return w;
  return p.size() - 1;  // rounding: the sum of p may be a little below 1
}

int main(int argc, char** argv) {
  app::Exercise e("07", 2, "Words drawn by chance");
  e.hint("std::pow(0, 0) is 1: a word with count 0 needs a line of its own.");
  e.hint("Divide by the sum in the end, so that the p add up to 1.");
  e.hint("draw: take p[w] off r, word by word; the word at which r becomes negative is the one.");
  return e.run(argc, argv, [&] {
    Vector count{81, 16, 1, 0, 256};
    e.check("p for power 1", probabilities(count, 1), {81 / 354.0, 16 / 354.0, 1 / 354.0, 0, 256 / 354.0}, 1e-12);
    e.check("p for power 3/4", probabilities(count, 0.75), {27 / 100.0, 8 / 100.0, 1 / 100.0, 0, 64 / 100.0}, 1e-12);
    e.check("p for power 0", probabilities(count, 0), {0.25, 0.25, 0.25, 0, 0.25}, 1e-12);
    Vector p{0.25, 0.5, 0, 0.25};
    Vector words;
    for (double r : {0.0, 0.24, 0.25, 0.7, 0.75, 0.999}) words.push_back(static_cast<double>(draw(p, r)));
    e.check("the words for r = 0, 0.24, 0.25, 0.7, 0.75, 0.999", words, {0, 0, 1, 1, 3, 3}, 0);
    Generator rng(1);
    Vector seen(4, 0.0);
    for (int i = 0; i < 100000; ++i) seen.at(draw(p, rng.uniform())) += 1e-5;
    e.check("shares of 100000 draws", seen, p, 0.01);
  });
}
