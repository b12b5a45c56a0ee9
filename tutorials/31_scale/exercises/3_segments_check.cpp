// Hints and checks of exercise 31.3.
#include "tutorials/31_scale/exercises/3_segments.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Plan;

double memory(double k, double n, double a, double A) { return k * a + n / k * A; }

void examine(app::Exercise& e) {
  for (auto [n, a, A] :
       {std::tuple{64.0, 1.0, 1.0}, {32.0, 327.68, 4000.0}, {100.0, 2.0, 50.0}, {6.0, 1.0, 17.0}, {1000.0, 3.0, 7.0}}) {
    // The least of many k, evenly spaced by their logarithm.
    double best = 1;
    for (int i = 0; i <= 1000000; ++i) {
      double k = std::pow(n, i / 1e6);
      if (memory(k, n, a, A) < memory(best, n, a, A)) best = k;
    }
    Plan p = mine::best_plan(n, a, A);
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
  return e.run(argc, argv, examine);
}
