// Hints and checks of exercise 02.1.
#include "tutorials/02_derivatives/exercises/1_step.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

double error_estimate(double h, double eps, double f, double third) { return eps * f / h + third * h * h / 6; }

struct Case {
  const char* name;
  double (*f)(double);
  double (*slope)(double);
  double (*third)(double);
};

void examine(app::Exercise& e) {
  const double eps = std::numeric_limits<double>::epsilon();
  for (double f : {0.01, 1.0, 500.0})
    for (double third : {0.2, 1.0, 3e6}) {
      const double h = mine::best_step(eps, f, third), at_h = error_estimate(h, eps, f, third);
      for (double factor : {0.9, 1.1}) {
        const bool larger = error_estimate(factor * h, eps, f, third) > at_h;
        e.check(fmt::format("for |f| = {} and |f'''| = {} the error E at {} h", f, third, factor),
                larger ? "larger than at h" : "smaller than at h", "larger than at h");
      }
      e.check(fmt::format("for |f| = {} and |f'''| = {} the slope h E'(h) / E(h)", f, third),
              (third * h * h / 3 - eps * f / h) / at_h, 0, 1e-9);
    }
  const std::vector<Case> cases{
      {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; },
       [](double x) { return 2 / (x * x * x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); },
       [](double x) { return 0.375 * std::pow(x, -2.5); }},
      {"the cube", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }, [](double) { return 6.0; }},
  };
  for (const Case& c : cases)
    for (double x : {0.001, 0.7, 1000.0}) {
      const double h = mine::best_step(eps, std::abs(c.f(x)), c.third(x));
      const double numeric = derivatives::central_difference(c.f, x, h);
      e.check(fmt::format("the derivative of {} at {}, divided by the true one,", c.name, x), numeric / c.slope(x), 1,
              1e-9);
    }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 1, "The best step of a central difference");
  e.hint("Where E is smallest its derivative is zero. What is the derivative of eps f / h, and that of third h^2 / 6?");
  e.hint("E'(h) = -eps f / h^2 + third h / 3 = 0.");
  e.hint("Multiply by h^2: only the third power of h is left. std::cbrt is the cube root.");
  e.insight(
      "At the best step rounding is twice as large as truncation, and about 10 of 16 digits survive.\n"
      "No smaller step helps: frameworks compute derivatives by the chain rule and use differences as a check.",
      "./heed exercise 02 2");
  return e.run(argc, argv, examine);
}
