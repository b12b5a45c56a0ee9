// Hints and checks of exercise 08.2.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/recurrent/lstm.h"
#include "tutorials/08_recurrent/exercises/2_forget_bias.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  for (int distance : {5, 20, 100})
    for (double share : {0.1, 0.5, 0.9}) {
      Generator rng(1);
      nn::LSTMCell cell({.input = 1, .hidden = 1}, rng);
      nn::convert(cell, DType::f64);
      for (Variable* w : {&cell.weight_ih, &cell.weight_hh, &cell.bias_ih, &cell.bias_hh})
        w->set_value(Tensor::zeros(w->shape(), DType::f64));
      Tensor bias = Tensor::zeros({4}, DType::f64);
      bias.set({1}, mine::forget_bias(distance, share));  // the rows are i, f, g, o
      cell.bias_ih.set_value(bias);
      Variable x(Tensor::zeros({1, 1}, DType::f64)), c(Tensor::ones({1, 1}, DType::f64), Variable::kRequiresGrad);
      nn::LSTMState state{Tensor::zeros({1, 1}, DType::f64), c};
      for (int t = 0; t < distance; ++t) state = cell(x, state);
      e.check(fmt::format("the share of the gradient that is left after {} steps", distance),
              grad({sum(state.c)}, {c})[0].item(), share, 1e-9);
    }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 2, "Which forget bias does a lag need?");
  e.hint("First find the f with f^distance = share: take a root, std::pow(share, 1 / distance).");
  e.hint("f = 1 / (1 + exp(-bias)). Solve for the bias.");
  e.insight(
      "A bias of 1 gives f = 0.73: after 20 steps 0.2 % of the gradient is left. To keep half of it over 100 steps\n"
      "f must be 0.993 and the bias 5. A network that is to remember long should start with a large forget bias.",
      "./heed exercise 08 3");
  return e.run(argc, argv, examine);
}
