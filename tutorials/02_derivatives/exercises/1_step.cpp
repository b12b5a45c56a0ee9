// Exercise 02.1: the best step of a central difference, as a formula.
//
//   (f(x + h) - f(x - h)) / 2h  errs by about   E(h) = eps |f| / h  +  |f'''| h^2 / 6
//                                                      rounding        truncation
//
// Derive the h > 0 where E is smallest, and write it as code. The checks first compare E at your h with E beside it,
// then use your h on three functions at arguments from 0.001 to 1000.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

// eps: the rounding error of f, relative; f and third: the sizes of f(x) and f'''(x), both above zero.
double best_step(double eps, double f, double third) {
  // ---- the gap: E'(h) = 0, solved for h ----
  static_cast<void>(eps), static_cast<void>(f), static_cast<void>(third);  // use all three
  return 0.01;
  // ---- end of the gap ----
}

double error_estimate(double h, double eps, double f, double third) { return eps * f / h + third * h * h / 6; }

struct Case {
  const char* name;
  double (*f)(double);
  double (*slope)(double);
  double (*third)(double);
};

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 1, "The best step of a central difference");
  e.hint("Where E is smallest its derivative is zero: -eps f / h^2 + third h / 3 = 0.");
  e.hint("Multiply by h^2 and only one power of h is left, the third; std::cbrt is the cube root.");
  return e.run(argc, argv, [&] {
    const double eps = std::numeric_limits<double>::epsilon();
    for (double f : {0.01, 1.0, 500.0})
      for (double third : {0.2, 1.0, 3e6})
        for (double factor : {0.9, 1.1}) {
          const double h = best_step(eps, f, third);
          const bool larger = error_estimate(factor * h, eps, f, third) > error_estimate(h, eps, f, third);
          e.check(fmt::format("for |f| = {} and |f'''| = {} the error E at {} h", f, third, factor),
                  larger ? "larger than at h" : "smaller than at h", "larger than at h");
        }
    const std::vector<Case> cases{
        {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; },
         [](double x) { return 2 / (x * x * x); }},
        {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); },
         [](double x) { return 0.375 * std::pow(x, -2.5); }},
        {"the cube", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; },
         [](double) { return 6.0; }},
    };
    for (const Case& c : cases)
      for (double x : {0.001, 0.7, 1000.0}) {
        const double h = best_step(eps, std::abs(c.f(x)), c.third(x));
        const double numeric = derivatives::central_difference(c.f, x, h);
        e.check(fmt::format("the derivative of {} at {}, divided by the true one,", c.name, x), numeric / c.slope(x), 1,
                1e-9);
      }
  });
}
