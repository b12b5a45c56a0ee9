// Hints, common mistakes and checks of exercise 08.2.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/recurrent/lstm.h"
#include "tutorials/08_recurrent/exercises/2_forget_bias.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

double inverse_sigmoid(double f) { return std::log(f / (1 - f)); }

const std::vector<app::Mistake<decltype(&mine::forget_bias)>> mistakes{
    {"The gap is still open: the bias is 1, whatever distance and share are", [](double, double) { return 1.0; }},
    {"This is the gate f, not its bias: solve f = 1 / (1 + exp(-bias)) for the bias",
     [](double d, double share) { return std::pow(share, 1 / d); }},
    {"This is log(f), as if f were exp(bias): the gate is a sigmoid, so the bias is log(f / (1 - f))",
     [](double d, double share) { return std::log(share) / d; }},
    {"The sign is reversed: the bias is log(f / (1 - f)), positive when f is above 1 / 2",
     [](double d, double share) { return -inverse_sigmoid(std::pow(share, 1 / d)); }},
    {"The share is divided by the distance: the gates of d steps are multiplied, so take the root share^(1 / d)",
     [](double d, double share) { return inverse_sigmoid(share / d); }},
    {"The bias keeps the share over one step: the distance is not used. The gate is share^(1 / d)",
     [](double, double share) { return inverse_sigmoid(share); }},
    {"The share is raised to the power d: it is f that is raised to d, so f = share^(1 / d)",
     [](double d, double share) { return inverse_sigmoid(std::pow(share, d)); }},
    {"The bias of one step is multiplied by d: take the root first, then the inverse of the sigmoid",
     [](double d, double share) { return d * inverse_sigmoid(share); }},
    {"log(d - 1) leaves about 1 / e = 0.37 after d steps: the share has to enter",
     [](double d, double) { return std::log(d - 1); }},
};

void examine(app::Exercise& e, const decltype(&mine::forget_bias)& forget_bias) {
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
  return e.run(argc, argv, mine::forget_bias, examine, mistakes);
}
