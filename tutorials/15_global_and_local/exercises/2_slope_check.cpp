// Hints, common mistakes and checks of exercise 15.2.
#include "tutorials/15_global_and_local/exercises/2_slope.h"

#include <fmt/format.h>

#include <functional>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Row;
using mine::weight;
using Answer = std::function<double(const Row&, double)>;

double sum(const Row& r, auto term) {
  double total = 0;
  for (int s = 0; s < static_cast<int>(r.u.size()); ++s) total += term(s);
  return total;
}
double g(const Row& r, int s) { return r.g[static_cast<std::size_t>(s)]; }
double u(const Row& r, int s) { return r.u[static_cast<std::size_t>(s)]; }

// dL/dp where one factor differs: sum_s g_s w_s factor(s - p, sigma).
Answer with(double (*factor)(double distance, double sigma)) {
  return [factor](const Row& r, double p) {
    return sum(r, [&](int s) { return g(r, s) * weight(r, p, s) * factor(s - p, r.sigma); });
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: its derivative is 0 everywhere", [](const Row&, double) { return 0; }},
    {"Your gradient has the wrong sign: the derivative of -(s - p)^2 by p is +2 (s - p)",
     with([](double d, double sigma) { return -d / (sigma * sigma); })},
    {"The division by sigma^2 is missing", with([](double d, double) { return d; })},
    {"You divided by sigma: the exponent has sigma^2", with([](double d, double sigma) { return d / sigma; })},
    {"A factor 2 is missing: the 2 of the derivative of the square cancels that of 2 sigma^2",
     with([](double d, double sigma) { return d / (2 * sigma * sigma); })},
    {"The inner derivative is missing: multiply each term by (s - p) / sigma^2",
     with([](double, double) { return 1.0; })},
    {"The factor g_s is missing: L = sum_s g_s w_s",
     [](const Row& r, double p) {
       return sum(r, [&](int s) { return weight(r, p, s) * (s - p) / (r.sigma * r.sigma); });
     }},
    {"You used u_s for w_s: the derivative of an exponential is itself times that of its exponent",
     [](const Row& r, double p) {
       return sum(r, [&](int s) { return g(r, s) * u(r, s) * (s - p) / (r.sigma * r.sigma); });
     }},
    {"You took the mean over the positions: L is a sum",
     [](const Row& r, double p) {
       return sum(r, [&](int s) { return g(r, s) * weight(r, p, s) * (s - p) / (r.sigma * r.sigma); }) /
              static_cast<double>(r.u.size());
     }},
};

void examine(app::Exercise& e, const Answer& slope) {
  Row row{{0.1, 0.2, 0.4, 0.2, 0.07, 0.03}, {1, -2, 0.5, 3, -1, 2}, 1.6};
  auto loss = [&](double p) { return sum(row, [&](int s) { return g(row, s) * weight(row, p, s); }); };
  for (double p : {0.3, 2.0, 3.7}) {
    double numeric = (loss(p + 1e-5) - loss(p - 1e-5)) / 2e-5;
    e.check(fmt::format("dL/dp at p = {}, against a central difference,", p), slope(row, p), numeric, 1e-7);
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
  return e.run(argc, argv, Answer(mine::slope), examine, mistakes);
}
