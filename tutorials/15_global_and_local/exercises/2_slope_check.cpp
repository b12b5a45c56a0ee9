// Hints and checks of exercise 15.2.
#include "tutorials/15_global_and_local/exercises/2_slope.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Row;
using mine::weight;

double sum(const Row& r, auto term) {
  double total = 0;
  for (int s = 0; s < static_cast<int>(r.u.size()); ++s) total += term(s);
  return total;
}
double g(const Row& r, int s) { return r.g[static_cast<std::size_t>(s)]; }
void examine(app::Exercise& e) {
  Row row{{0.1, 0.2, 0.4, 0.2, 0.07, 0.03}, {1, -2, 0.5, 3, -1, 2}, 1.6};
  auto loss = [&](double p) { return sum(row, [&](int s) { return g(row, s) * weight(row, p, s); }); };
  for (double p : {0.3, 2.0, 3.7}) {
    double numeric = (loss(p + 1e-5) - loss(p - 1e-5)) / 2e-5;
    e.check(fmt::format("dL/dp at p = {}, against a central difference,", p), mine::slope(row, p), numeric, 1e-7);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("15", 2, "The gradient that reaches the centre");
  e.hint("The derivative of -(s - p)^2 / (2 sigma^2) by p is (s - p) / sigma^2.");
  e.hint("The derivative of an exponential is itself times that of its exponent.");
  e.hint("dL/dp = sum_s g_s w_s (s - p) / sigma^2.");
  e.insight(
      "Each position pulls the centre towards itself or pushes it away, by its weight and by what it would do to the\n"
      "loss. So p can be learnt although the window itself, a cut at round(p), has no gradient.",
      "./heed exercise 15 3");
  return e.run(argc, argv, examine);
}
