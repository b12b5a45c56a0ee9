// Hints, common mistakes and checks of exercise 06.1.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "tutorials/06_optimisers/exercises/1_adam.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Moments;

void average(Moments& at, double g, double b1, double b2) {
  at.m = b1 * at.m + (1 - b1) * g;
  at.s = b2 * at.s + (1 - b2) * g * g;
}
double corrected(double moment, double b, int t) { return moment / (1 - std::pow(b, t)); }

const std::vector<app::Mistake<decltype(&mine::adam_step)>> mistakes{
    {"The gap is still open: m and s are used without the correction of their bias",
     [](double w, double g, Moments& at, int, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * at.m / (std::sqrt(at.s) + eps);
     }},
    {"s is not corrected: divide it by 1 - b2^t before the root, as you divide m by 1 - b1^t",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * corrected(at.m, b1, t) / (std::sqrt(at.s) + eps);
     }},
    {"m is not corrected: divide it by 1 - b1^t, as you divide s by 1 - b2^t",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * at.m / (std::sqrt(corrected(at.s, b2, t)) + eps);
     }},
    {"b1 and b2 are exchanged in the correction: m is divided by 1 - b1^t and s by 1 - b2^t",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * corrected(at.m, b2, t) / (std::sqrt(corrected(at.s, b1, t)) + eps);
     }},
    {"The exponent is too small by 1, so that the first step divides by 1 - b^0 = 0: t counts from 1 already",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * corrected(at.m, b1, t - 1) / (std::sqrt(corrected(at.s, b2, t - 1)) + eps);
     }},
    {"The corrected moments are stored in `at`, so that they are corrected again in each later step: use local "
     "variables",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       at.m = corrected(at.m, b1, t), at.s = corrected(at.s, b2, t);
       return w - lr * at.m / (std::sqrt(at.s) + eps);
     }},
    {"eps is inside the root: it is added to sqrt(shat), not to shat",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * corrected(at.m, b1, t) / std::sqrt(corrected(at.s, b2, t) + eps);
     }},
    {"The step is divided by shat and not by its root: a larger gradient then makes a smaller step",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * corrected(at.m, b1, t) / (corrected(at.s, b2, t) + eps);
     }},
    {"The correction multiplies b by t: 1 - b^t is 1 - std::pow(b, t)",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w - lr * at.m / (1 - b1 * t) / (std::sqrt(at.s / (1 - b2 * t)) + eps);
     }},
    {"The step goes uphill: it is subtracted from w, not added",
     [](double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps) {
       average(at, g, b1, b2);
       return w + lr * corrected(at.m, b1, t) / (std::sqrt(corrected(at.s, b2, t)) + eps);
     }},
};

void examine(app::Exercise& e, const decltype(&mine::adam_step)& adam_step) {
  struct Setting {
    double b2, eps;
  };
  for (auto [b2, eps] : {Setting{0.999, 1e-8}, Setting{0.8, 0.1}}) {
    Variable w(Tensor::from(std::vector<double>{2, -0.3}, {2}), Variable::kRequiresGrad);
    Variable scale(Tensor::from(std::vector<double>{1, 40}, {2}));  // of the two gradients
    nn::Adam adam({{"w", w}}, {.learning_rate = 0.05, .beta2 = b2, .epsilon = eps});
    std::vector<double> mine = w.value().to_vector();
    std::vector<Moments> moments(2);
    for (int t = 1; t <= 100; ++t) {
      adam.zero_grad();
      backward(sum(square(w) * scale));
      for (std::size_t i = 0; i < 2; ++i)
        mine[i] = adam_step(mine[i], w.grad().at({static_cast<int64_t>(i)}), moments[i], t, 0.05, 0.9, b2, eps);
      adam.step();
      if (t <= 3 || t == 100)
        e.check(fmt::format("weights after step {} with b2 = {} and eps = {}", t, b2, eps), mine, w.value().to_vector(),
                1e-9);
      mine = w.value().to_vector();  // each step starts from the right weights
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 1, "Adam, from its paper");
  e.hint("After the first step m = (1 - b1) g. By what must it be divided to give g?");
  e.hint("After t steps with the same gradient g, m = (1 - b1^t) g and s = (1 - b2^t) g^2. std::pow(b1, t) is b1^t.");
  e.hint("Correct copies of m and s: `at` keeps the uncorrected averages for the next step.");
  e.insight(
      "With the correction the first step has the size lr, whatever the gradient. Without it the first step would be\n"
      "(1 - b1) / sqrt(1 - b2) times as long: 3.2 times for b1 = 0.9 and b2 = 0.999.",
      "./heed exercise 06 2");
  return e.run(argc, argv, mine::adam_step, examine, mistakes);
}
