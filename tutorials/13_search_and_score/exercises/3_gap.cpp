// Exercise 13.3: what a model's own history must cost, by formula.
//
// A model is right with probability a as long as all words before were right, and with probability b < a once one was
// wrong. With true history it is right at each place with probability a. With its own history, at place t = 1, 2, .. :
//
//   on_track(a, t)    the probability that the words 1 .. t - 1 are all right
//   right(a, b, t)    the probability that word t is right
//   gap(a, b, n)      a minus the mean of right(a, b, t) over t = 1 .. n
//
// Derive them on paper; the check throws the dice.
#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

using namespace heed;

double on_track([[maybe_unused]] double a, [[maybe_unused]] int64_t t) {
  // --- the gap ---
  return 1;
  // --- end of the gap ---
}

double right(double a, [[maybe_unused]] double b, [[maybe_unused]] int64_t t) {
  // --- the gap ---
  return a;
  // --- end of the gap ---
}

double gap([[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] int64_t n) {
  // --- the gap ---
  return 0;
  // --- end of the gap ---
}

int main(int argc, char** argv) {
  app::Exercise e("13", 3, "What its own history costs");
  e.hint("on_track: t - 1 words, each right with probability a.");
  e.hint("right: two cases. On track: a. Off the track: b.");
  e.hint("gap: a loop over t will do. For n without end it is a - b.");
  return e.run(argc, argv, [&] {
    constexpr int kSentences = 200000, kWords = 12;
    double a = 0.8, b = 0.1;
    Generator rng(1);
    std::vector<double> seen(kWords), wanted(kWords);
    for (int s = 0; s < kSentences; ++s) {
      bool on = true;
      for (double& count : seen) {
        bool good = rng.uniform() < (on ? a : b);
        count += good ? 1.0 / kSentences : 0;
        on = on && good;
      }
    }
    e.check("on_track at place 3", on_track(0.5, 3), 0.25, 1e-12);
    for (int t = 1; t <= kWords; ++t) wanted[static_cast<size_t>(t - 1)] = right(a, b, t);
    e.check("right at places 1 to 12, against 200000 sentences", wanted, seen, 0.004);
    e.check("gap of a model that forgives itself, a = b", gap(0.7, 0.7, 9), 0, 1e-12);
    e.check("gap after two words, a = 1/2, b = 0", gap(0.5, 0, 2), 0.125, 1e-12);
    e.check("gap after a million words", gap(a, b, 1000000), 0.7, 1e-5);
  });
}
