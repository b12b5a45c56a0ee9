// Hints and checks of exercise 13.3.
#include "tutorials/13_search_and_score/exercises/3_gap.h"

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

constexpr int kWords = 12;
constexpr double kA = 0.8, kB = 0.1;

std::vector<double> simulated() {  // how often word 1 .. kWords is right
  constexpr int kSentences = 200000;
  Generator rng(1);
  std::vector<double> seen(kWords);
  for (int s = 0; s < kSentences; ++s) {
    bool on = true;
    for (double& count : seen) {
      bool good = rng.uniform() < (on ? kA : kB);
      count += good ? 1.0 / kSentences : 0;
      on = on && good;
    }
  }
  return seen;
}

void examine(app::Exercise& e) {
  static const std::vector<double> seen = simulated();
  e.check("on_track at position 3 for a = 1/2", mine::on_track(0.5, 3), 0.25, 1e-12);
  e.check("on_track at position 1", mine::on_track(0.5, 1), 1, 1e-12);
  std::vector<double> wanted;
  for (int t = 1; t <= kWords; ++t) wanted.push_back(mine::right(kA, kB, t));
  e.check("right at positions 1 to 12, against 200000 simulated sentences, ", wanted, seen, 0.004);
  e.check("gap of a model that recovers from its mistakes, a = b", mine::gap(0.7, 0.7, 9), 0, 1e-12);
  e.check("gap after two words, a = 1/2, b = 0", mine::gap(0.5, 0, 2), 0.125, 1e-12);
  e.check("gap after 100000 words", mine::gap(kA, kB, 100000), 0.7, 1e-4);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("13", 3, "What exposure bias costs");
  e.hint("on_track: t - 1 words, each right with probability a if those before it are.");
  e.hint("right: two cases. With probability on_track it is a, otherwise b.");
  e.hint("gap: a loop over t will do. As n grows it tends to a - b.");
  e.insight(
      "Even a good model leaves the track: after t words it is still on it with probability a^t only. What matters "
      "for\n"
      "long sentences is b, how well it goes on after a mistake, and teacher forcing never trains that.",
      "./heed exercise 13 4");
  return e.run(argc, argv, examine);
}
