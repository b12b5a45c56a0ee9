// Hints, common mistakes and checks of exercise 31.3.
#include "tutorials/31_scale/exercises/3_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Plan;
using Answer = Plan (*)(double n, double a, double A);

double memory(double k, double n, double a, double A) { return k * a + n / k * A; }
Plan planned(double k, double n, double a, double A) {
  k = std::clamp(k, 1.0, n);
  return {k, memory(k, n, a, A)};
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"You take the rule of thumb, sqrt(n), and count each layer as its output (the gap as it was does this): set the "
     "derivative of M(k) to 0",
     [](double n, double a, double) {
       double k = std::sqrt(n);
       return Plan{k, k * a + n / k * a};
     }},
    {"You use sqrt(n) segments: that is the best k only for A = a. Set the derivative of M(k) to 0",
     [](double n, double a, double A) { return planned(std::sqrt(n), n, a, A); }},
    {"A and a are exchanged: large layers need more segments, so A belongs in the numerator",
     [](double n, double a, double A) { return planned(std::sqrt(n * a / A), n, a, A); }},
    {"The root is missing: a = n A / k^2, so k^2 = n A / a",
     [](double n, double a, double A) { return planned(n * A / a, n, a, A); }},
    {"You return the layers per segment, n / k: return the number of segments",
     [](double n, double a, double A) {
       Plan p = planned(std::sqrt(n * A / a), n, a, A);
       return Plan{n / p.segments, p.bytes};
     }},
    {"Your k exceeds n: there are no more segments than layers, so k is at most n",
     [](double n, double a, double A) {
       double k = std::sqrt(n * A / a);
       return Plan{k, memory(k, n, a, A)};
     }},
    {"Your memory is 2 sqrt(n a A) even where k is limited by n: put the k that you return into M(k)",
     [](double n, double a, double A) {
       return Plan{std::min(std::sqrt(n * A / a), n), 2 * std::sqrt(n * a * A)};
     }},
    {"The inputs of the segments are missing in your memory: add k a",
     [](double n, double a, double A) {
       Plan p = planned(std::sqrt(n * A / a), n, a, A);
       return Plan{p.segments, n / p.segments * A};
     }},
    {"Your memory counts all n layers: only one segment of n / k layers is stored at a time",
     [](double n, double a, double A) {
       Plan p = planned(std::sqrt(n * A / a), n, a, A);
       return Plan{p.segments, p.segments * a + n * A};
     }},
};

void examine(app::Exercise& e, const Answer& best_plan) {
  for (auto [n, a, A] :
       {std::tuple{64.0, 1.0, 1.0}, {32.0, 327.68, 4000.0}, {100.0, 2.0, 50.0}, {6.0, 1.0, 17.0}, {1000.0, 3.0, 7.0}}) {
    // The least of many k, evenly spaced by their logarithm.
    double best = 1;
    for (int i = 0; i <= 1000000; ++i) {
      double k = std::pow(n, i / 1e6);
      if (memory(k, n, a, A) < memory(best, n, a, A)) best = k;
    }
    Plan p = best_plan(n, a, A);
    std::string where = fmt::format("n = {}, a = {}, A = {}: ", n, a, A);
    e.check(where + "segments", p.segments, best, 1e-4);
    e.check(where + "bytes", p.bytes, memory(best, n, a, A), 1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("31", 3, "How many segments?");
  e.hint("The derivative of M(k) is a - n A / k^2. Where is it 0?");
  e.hint("k is limited to 1 .. n. If the best k is larger than n, every layer is a segment.");
  e.insight(
      "sqrt(n) assumes layers that store their output alone. A transformer layer stores 12 to 17 times its output, so\n"
      "up to a dozen layers it is best to checkpoint each of them.",
      "./heed train --help");
  return e.run(argc, argv, mine::best_plan, examine, mistakes);
}
