// Hints, common mistakes and checks of exercise 13.3.
#include "tutorials/13_search_and_score/exercises/3_gap.h"

#include <cmath>
#include <functional>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using OnTrack = std::function<double(double, int64_t)>;
using Right = std::function<double(double, double, int64_t)>;

struct Answer {
  OnTrack on_track;
  Right right;
  std::function<double(double, double, int64_t)> gap;
};

double on_track(double a, int64_t t) { return std::pow(a, static_cast<double>(t - 1)); }
double right(double a, double b, int64_t t) { return on_track(a, t) * a + (1 - on_track(a, t)) * b; }

double mean(const Right& r, double a, double b, int64_t first, int64_t last, int64_t n) {
  double sum = 0;
  for (int64_t t = first; t <= last; ++t) sum += r(a, b, t);
  return sum / static_cast<double>(n);
}
Answer with(const OnTrack& o, const Right& r) {
  return {o, r, [r](double a, double b, int64_t n) { return a - mean(r, a, b, 1, n, n); }};
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: begin with on_track, the probability of t - 1 right words in a row",
     {[](double, int64_t) { return 1; }, [](double a, double, int64_t) { return a; },
      [](double, double, int64_t) { return 0; }}},
    {"on_track is right. right is still open: it is a on track and b off the track",
     {on_track, [](double a, double, int64_t) { return a; }, [](double, double, int64_t) { return 0; }}},
    {"on_track and right are right. gap is still open: a minus the mean of right",
     {on_track, right, [](double, double, int64_t) { return 0; }}},
    {"on_track counts one word too many: before word t there are t - 1 words",
     with([](double a, int64_t t) { return on_track(a, t + 1); },
          [](double a, double b, int64_t t) { return on_track(a, t + 1) * (a - b) + b; })},
    {"Your right leaves out the second case: a word after a mistake is still right with probability b",
     with(on_track, [](double a, double, int64_t t) { return on_track(a, t) * a; })},
    {"Your right adds b without its weight: the second case has the probability 1 - on_track",
     with(on_track, [](double a, double b, int64_t t) { return on_track(a, t) * a + b; })},
    {"You exchanged a and b: on track the probability is a, off the track b",
     with(on_track, [](double a, double b, int64_t t) { return on_track(a, t) * b + (1 - on_track(a, t)) * a; })},
    {"Your gap is the sum over the positions: divide it by n",
     {on_track, right,
      [](double a, double b, int64_t n) { return static_cast<double>(n) * a - mean(right, a, b, 1, n, 1); }}},
    {"Your gap divides the mean and not only the sum: a minus the sum of right / n, with n as double",
     {on_track, right,
      [](double a, double b, int64_t n) { return a - mean(right, a, b, 1, n, n) / static_cast<double>(n); }}},
    {"Your gap has the wrong sign: it is what is lost, a minus the mean",
     {on_track, right, [](double a, double b, int64_t n) { return mean(right, a, b, 1, n, n) - a; }}},
    {"Your loop leaves out the last position: t goes from 1 to n, both included",
     {on_track, right, [](double a, double b, int64_t n) { return a - mean(right, a, b, 1, n - 1, n); }}},
    {"Your loop begins at position 0: t goes from 1 to n, both included",
     {on_track, right, [](double a, double b, int64_t n) { return a - mean(right, a, b, 0, n - 1, n); }}},
    {"Your gap is that of the last position alone: take the mean over all positions",
     {on_track, right, [](double a, double b, int64_t n) { return a - right(a, b, n); }}},
};

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

void examine(app::Exercise& e, const Answer& answer) {
  static const std::vector<double> seen = simulated();
  e.check("on_track at position 3 for a = 1/2", answer.on_track(0.5, 3), 0.25, 1e-12);
  e.check("on_track at position 1", answer.on_track(0.5, 1), 1, 1e-12);
  std::vector<double> wanted;
  for (int t = 1; t <= kWords; ++t) wanted.push_back(answer.right(kA, kB, t));
  e.check("right at positions 1 to 12, against 200000 simulated sentences, ", wanted, seen, 0.004);
  e.check("gap of a model that recovers from its mistakes, a = b", answer.gap(0.7, 0.7, 9), 0, 1e-12);
  e.check("gap after two words, a = 1/2, b = 0", answer.gap(0.5, 0, 2), 0.125, 1e-12);
  e.check("gap after 100000 words", answer.gap(kA, kB, 100000), 0.7, 1e-4);
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
  return e.run(argc, argv, Answer{mine::on_track, mine::right, mine::gap}, examine, mistakes);
}
