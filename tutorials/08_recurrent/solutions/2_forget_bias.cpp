// Exercise 08.2: which forget bias does a lag need?
//
// The cell of an LSTM is c' = f c + i g with f = sigmoid(..). In a new network whose weights are small, f is about
// sigmoid(bias) at each step, so that over d steps the gradient by c keeps the share
//
//   sigmoid(bias)^d
//
// Derive the bias that keeps the share `share` over `distance` steps. The usual bias of 1 is enough for few steps
// only. The checks make an LSTM without weights, with your bias, and measure.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/recurrent/lstm.h"
#include "tutorials/common/exercise.h"

namespace {

double forget_bias(double distance, double share) {
  // ---- the gap, filled: f = share^(1 / distance) = 1 / (1 + exp(-bias)) ----
  double f = std::pow(share, 1 / distance);
  return std::log(f / (1 - f));
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 2, "Which forget bias does a lag need?");
  e.hint("First find the f with f^distance = share: take a root.");
  e.hint("f = 1 / (1 + exp(-bias)). Solve for the bias.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (int distance : {5, 20, 100})
      for (double share : {0.1, 0.5, 0.9}) {
        Generator rng(1);
        nn::LSTMCell cell({.input = 1, .hidden = 1}, rng);
        nn::convert(cell, DType::f64);
        for (Variable* w : {&cell.weight_ih, &cell.weight_hh, &cell.bias_ih, &cell.bias_hh})
          w->set_value(Tensor::zeros(w->shape(), DType::f64));
        Tensor bias = Tensor::zeros({4}, DType::f64);
        bias.set({1}, forget_bias(distance, share));  // the rows are i, f, g, o
        cell.bias_ih.set_value(bias);
        Variable x(Tensor::zeros({1, 1}, DType::f64)), c(Tensor::ones({1, 1}, DType::f64), Variable::kRequiresGrad);
        nn::LSTMState state{Tensor::zeros({1, 1}, DType::f64), c};
        for (int t = 0; t < distance; ++t) state = cell(x, state);
        e.check(fmt::format("the share that is left after {} steps,", distance), grad({sum(state.c)}, {c})[0].item(),
                share, 1e-9);
      }
  });
}
