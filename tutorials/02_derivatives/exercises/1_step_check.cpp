// Hints, common mistakes and checks of exercise 02.1.
#include "tutorials/02_derivatives/exercises/1_step.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

const std::vector<app::Mistake<decltype(&mine::best_step)>> mistakes{
    {"The gap is still open: the step is 0.01 whatever f is", [](double, double, double) { return 0.01; }},
    {"The factor 3 is missing: the derivative of third h^2 / 6 is third h / 3",
     [](double eps, double f, double third) { return std::cbrt(eps * f / third); }},
    {"Your factor is 6 and should be 3: set E' to 0, not rounding equal to truncation, and remember that h^2 has the "
     "derivative 2 h",
     [](double eps, double f, double third) { return std::cbrt(6 * eps * f / third); }},
    {"You took the square root: after multiplying by h^2 the equation contains h^3, so take the cube root",
     [](double eps, double f, double third) { return std::sqrt(3 * eps * f / third); }},
    {"The cube root is missing: 3 eps f / third is h^3",
     [](double eps, double f, double third) { return 3 * eps * f / third; }},
    {"The size of f is missing: the rounding error is eps |f| / h, so a larger f needs a larger step",
     [](double eps, double, double third) { return std::cbrt(3 * eps / third); }},
    {"The third derivative is missing: where f bends more, truncation grows and the step must shrink",
     [](double eps, double f, double) { return std::cbrt(3 * eps * f); }},
    {"The fraction is upside down: a larger third derivative needs a smaller step, a larger f needs a larger one",
     [](double eps, double f, double third) { return std::cbrt(3 * eps * third / f); }},
    {"cbrt(eps) is the rule of thumb for |f| = |f'''| and drops the factor 3: use all three arguments",
     [](double eps, double, double) { return std::cbrt(eps); }},
    {"sqrt(eps) is the step of a forward difference: here truncation falls with h^2, so the cube root appears",
     [](double eps, double, double) { return std::sqrt(eps); }},
};

double error_estimate(double h, double eps, double f, double third) { return eps * f / h + third * h * h / 6; }

struct Case {
  const char* name;
  double (*f)(double);
  double (*slope)(double);
  double (*third)(double);
};

void examine(app::Exercise& e, const decltype(&mine::best_step)& best_step) {
  const double eps = std::numeric_limits<double>::epsilon();
  for (double f : {0.01, 1.0, 500.0})
    for (double third : {0.2, 1.0, 3e6}) {
      const double h = best_step(eps, f, third), at_h = error_estimate(h, eps, f, third);
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
      const double h = best_step(eps, std::abs(c.f(x)), c.third(x));
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
  return e.run(argc, argv, mine::best_step, examine, mistakes);
}
