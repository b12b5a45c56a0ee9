// Exercise 06.1: Adam, from its paper.
//
//   m <- b1 m + (1 - b1) g            s <- b2 s + (1 - b2) g^2
//   w <- w - lr mhat / (sqrt(shat) + eps)      mhat = m / (1 - b1^t),  shat = s / (1 - b2^t),  t = 1, 2, ...
//
// What stands in the gap forgets the hats: m and s start at 0 and are too small at first, s more so than m. The checks
// compare your weights with those of nn::Adam for a hundred steps.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "tutorials/common/exercise.h"

namespace {

struct Moments {
  double m = 0, s = 0;
};

// One step of one weight; returns the new weight. t counts from 1.
double adam_step(double w, double g, Moments& at, [[maybe_unused]] int t, double lr, double b1, double b2, double eps) {
  // ---- the gap: put the hats on ----
  at.m = b1 * at.m + (1 - b1) * g;
  at.s = b2 * at.s + (1 - b2) * g * g;
  return w - lr * at.m / (std::sqrt(at.s) + eps);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("06", 1, "Adam, from its paper");
  e.hint("After the first step m = (1 - b1) g. By what must it be divided to be g?");
  e.hint("The size of the very first step is lr, whatever the gradient.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (double b2 : {0.999, 0.9}) {
      Variable w(Tensor::from(std::vector<double>{2, -0.3}, {2}), Variable::kRequiresGrad);
      Tensor scale = Tensor::from(std::vector<double>{1, 40}, {2});  // of the two gradients
      nn::Adam adam({{"w", w}}, {.learning_rate = 0.05, .beta2 = b2});
      std::vector<double> mine = w.value().to_vector();
      std::vector<Moments> moments(2);
      for (int t = 1; t <= 100; ++t) {
        adam.zero_grad();
        backward(sum(square(w) * Variable(scale)));
        for (std::size_t i = 0; i < 2; ++i)
          mine[i] = adam_step(mine[i], w.grad().at({static_cast<std::int64_t>(i)}), moments[i], t, 0.05, 0.9, b2, 1e-8);
        adam.step();
        if (t <= 3 || t == 100)
          e.check(fmt::format("the weights after step {} with b2 = {}", t, b2), mine, w.value().to_vector(), 1e-9);
        mine = w.value().to_vector();  // so that each step is judged by itself
      }
    }
  });
}
