// Exercise 06.3: the best learning rate of a valley.
//
// Along a direction of curvature c the loss is c x^2 / 2, its gradient c x, and a step of SGD multiplies x by 1 - lr c.
// With curvatures between a and b, 0 < a <= b, the slowest direction decides:
//
//   r(lr) = max(|1 - lr a|, |1 - lr b|)
//
// Derive the lr where r is smallest, and how many steps SGD then needs until every distance has shrunk by `factor`.
// The rate 1 / b is safe, but not the best: the steep direction is done in one step.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/sgd.h"
#include "tutorials/common/exercise.h"

namespace {

struct Plan {
  double rate;
  double steps;  // a real number: r^steps = 1 / factor
};

Plan best_plan(double a, double b, double factor) {
  // ---- the gap, filled: 1 - lr a = lr b - 1 ----
  double rate = 2 / (a + b), ratio = (b - a) / (b + a);
  return {rate, std::log(factor) / -std::log(ratio)};
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 3, "The best learning rate of a valley");
  e.hint("Draw |1 - lr a| and |1 - lr b| against lr. Where is the higher of the two lowest?");
  e.hint("There 1 - lr a = -(1 - lr b).");
  e.hint("r^steps = 1 / factor; take logarithms.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (double b : {2.0, 10.0, 100.0}) {
      const double a = 0.5, factor = 1000;
      Plan plan = best_plan(a, b, factor);
      auto left = [&](double rate, std::int64_t steps) {  // the longer of two distances that were 1
        Variable w(Tensor::ones({2}, DType::f64), Variable::kRequiresGrad);
        Variable c(Tensor::from(std::vector<double>{a, b}, {2}));
        nn::SGD sgd({{"w", w}}, {.learning_rate = rate});
        for (std::int64_t t = 0; t < steps; ++t) {
          sgd.zero_grad();
          backward(0.5 * sum(c * square(w)));
          sgd.step();
        }
        return max(abs(w.value()), 0).item();
      };
      for (double other : {0.95, 1.05}) {
        bool better = left(plan.rate, 50) < left(other * plan.rate, 50);
        e.check(fmt::format("for curvatures {} and {} your rate, beside {} times it,", a, b, other),
                better ? "better" : "not better", "better");
      }
      auto whole = static_cast<std::int64_t>(std::ceil(plan.steps - 1e-9));
      e.check(fmt::format("for curvatures {} and {} what is left after your steps, times 1000,", a, b),
              left(plan.rate, whole) * factor <= 1 + 1e-9 ? "at most 1" : "more than 1", "at most 1");
      e.check(fmt::format("for curvatures {} and {} what is left one step before, times 1000,", a, b),
              left(plan.rate, whole - 1) * factor > 1 ? "more than 1" : "at most 1", "more than 1");
    }
  });
}
