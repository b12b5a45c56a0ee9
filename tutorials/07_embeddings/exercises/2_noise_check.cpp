// Hints, common mistakes and checks of exercise 07.2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/random.h"
#include "tutorials/07_embeddings/exercises/2_noise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;

struct Answer {
  decltype(&mine::probabilities) probabilities;
  decltype(&mine::draw) draw;
};

double total(const Vector& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
Vector divided(Vector x, double by) {
  for (double& one : x) one /= by;
  return x;
}
Vector raised(const Vector& count, double power) {
  Vector p = count;
  for (double& c : p) c = c > 0 ? std::pow(c, power) : 0;
  return p;
}
Vector right_probabilities(const Vector& count, double power) {
  Vector p = raised(count, power);
  return divided(p, total(p));
}
std::size_t right_draw(const Vector& p, double r) {
  for (std::size_t w = 0; w < p.size(); ++w)
    if ((r -= p[w]) < 0) return w;
  return p.size() - 1;
}
std::size_t open_draw(const Vector&, double) { return 0; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"Both gaps are still open: all probabilities are 0, and draw gives word 0",
     {[](const Vector& count, double) { return Vector(count.size(), 0.0); }, open_draw}},
    {"The probabilities are right, and the gap of draw is still open: it gives word 0",
     {right_probabilities, open_draw}},
    {"The probabilities do not sum to 1: divide by the sum of the powers", {raised, right_draw}},
    {"You divide first and raise to the power then, so that the sum is not 1: raise the counts, then divide",
     {[](const Vector& count, double power) { return raised(divided(count, total(count)), power); }, right_draw}},
    {"The powers are divided by the sum of the counts: divide by the sum of the powers",
     {[](const Vector& count, double power) { return divided(raised(count, power), total(count)); }, right_draw}},
    {"With power 0 a word with count 0 gets a share: std::pow(0, 0) is 1, so treat count 0 by itself",
     {[](const Vector& count, double power) {
        Vector p = count;
        for (double& c : p) c = std::pow(c, power);
        return divided(p, total(p));
      },
      right_draw}},
    {"The power is not used: p is proportional to count(w)^power",
     {[](const Vector& count, double) { return divided(count, total(count)); }, right_draw}},
    {"draw compares r with p[w] alone: the pieces lie one after the other, so compare with p[0] + .. + p[w]",
     {right_probabilities,
      [](const Vector& p, double r) {
        for (std::size_t w = 0; w < p.size(); ++w)
          if (r < p[w]) return w;
        return p.size() - 1;
      }}},
    {"A number r at the border of two pieces gives the left one: a piece contains its left end, so compare with <, "
     "not <=",
     {right_probabilities,
      [](const Vector& p, double r) {
        for (std::size_t w = 0; w < p.size(); ++w)
          if ((r -= p[w]) <= 0) return w;
        return p.size() - 1;
      }}},
    {"draw cuts [0, 1) into equal pieces: their lengths are p[0], p[1], ..",
     {right_probabilities,
      [](const Vector& p, double r) { return static_cast<std::size_t>(r * static_cast<double>(p.size())); }}},
    {"draw gives the most probable word whatever r is: find the piece that contains r",
     {right_probabilities,
      [](const Vector& p, double) {
        return static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
      }}},
};

void examine(app::Exercise& e, const Answer& answer) {
  const Vector count{81, 16, 1, 0, 256};
  for (double power : {1.0, 0.75, 0.0})
    e.check(fmt::format("p for power {}", power), answer.probabilities(count, power),
            power == 1      ? Vector{81 / 354.0, 16 / 354.0, 1 / 354.0, 0, 256 / 354.0}
            : power == 0.75 ? Vector{27 / 100.0, 8 / 100.0, 1 / 100.0, 0, 64 / 100.0}
                            : Vector{0.25, 0.25, 0.25, 0, 0.25},
            1e-12);
  const Vector p{0.25, 0.5, 0, 0.125, 0.125};
  Vector words;
  for (double r : {0.0, 0.24, 0.25, 0.7, 0.75, 0.875, 0.999}) words.push_back(static_cast<double>(answer.draw(p, r)));
  e.check("words for r = 0, 0.24, 0.25, 0.7, 0.75, 0.875, 0.999", words, {0, 0, 1, 1, 3, 4, 4}, 0);
  Generator rng(1);
  Vector seen(p.size(), 0.0);
  for (int i = 0; i < 100000; ++i) seen.at(answer.draw(p, rng.uniform())) += 1e-5;
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
  return e.run(argc, argv, Answer{mine::probabilities, mine::draw}, examine, mistakes);
}
