// Hints and checks of exercise 06.3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/sgd.h"
#include "tutorials/06_optimisers/exercises/3_best_rate.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Plan;

// SGD from 1 in both directions: the larger distance after `steps` steps.
double left(double a, double b, double rate, int64_t steps) {
  Variable w(Tensor::ones({2}, DType::f64), Variable::kRequiresGrad);
  Variable c(Tensor::from(std::vector<double>{a, b}, {2}));
  nn::SGD sgd({{"w", w}}, {.learning_rate = rate});
  for (int64_t t = 0; t < steps; ++t) {
    sgd.zero_grad();
    backward(0.5 * sum(c * square(w)));
    sgd.step();
  }
  return max(abs(w.value()), 0).item();
}

void examine(app::Exercise& e) {
  const double a = 0.5, factor = 1000;
  for (double b : {2.0, 10.0, 100.0}) {
    Plan plan = mine::best_plan(a, b, factor);
    std::string where = fmt::format("curvatures {} and {}:", a, b);
    for (double other : {0.95, 1.05}) {
      bool better = left(a, b, plan.rate, 50) < left(a, b, other * plan.rate, 50);
      e.check(fmt::format("{} your rate {:.6g}, compared with {} times it,", where, plan.rate, other),
              better ? "better" : "not better", "better");
    }
    // Past 2000 steps a wrong number is wrong enough: the right one is at most 691.
    auto whole = static_cast<int64_t>(std::clamp(std::ceil(plan.steps - 1e-9), 0.0, 2000.0));
    e.check(fmt::format("{} what is left of 1 after your {:.6g} steps,", where, plan.steps),
            left(a, b, plan.rate, whole) * factor <= 1 + 1e-9 ? "at most 1 / 1000" : "more than 1 / 1000",
            "at most 1 / 1000");
    e.check(fmt::format("{} what is left of 1 one step earlier", where),
            left(a, b, plan.rate, whole - 1) * factor > 1 ? "more than 1 / 1000" : "at most 1 / 1000",
            "more than 1 / 1000");
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 3, "The best learning rate of a valley");
  e.hint("Draw |1 - lr a| and |1 - lr b| against lr. Where is the larger of the two smallest?");
  e.hint("They cross where 1 - lr a = -(1 - lr b).");
  e.hint("r^steps = 1 / factor: take the logarithm of both sides.");
  e.insight(
      "r = (b - a) / (b + a): the number of steps grows with the condition number b / a, whatever the rate.\n"
      "Momentum reduces it to about the root of b / a; Adam rescales each weight instead.",
      "./heed run 07");
  return e.run(argc, argv, examine);
}
