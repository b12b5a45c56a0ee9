// Hints and checks of exercise 06.1.
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

void examine(app::Exercise& e) {
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
        mine[i] = mine::adam_step(mine[i], w.grad().at({static_cast<int64_t>(i)}), moments[i], t, 0.05, 0.9, b2, eps);
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
  return e.run(argc, argv, examine);
}
