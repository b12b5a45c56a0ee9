// Hints and checks of exercise 08.1.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "nn/init.h"
#include "nn/recurrent/gru.h"
#include "tutorials/08_recurrent/exercises/1_gru.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  for (int64_t N : {1, 5}) {
    Generator rng(static_cast<uint64_t>(N));
    nn::GRUCell cell({.input = 3, .hidden = N}, rng);
    nn::convert(cell, DType::f64);
    for (Variable* w : {&cell.weight_ih, &cell.weight_hh, &cell.bias_ih, &cell.bias_hh})
      w->set_value(nn::init::normal(w->shape(), rng, {}, DType::f64));
    Variable x(nn::init::normal({4, 3}, rng, {}, DType::f64));
    Variable h(nn::init::normal({4, N}, rng, {}, DType::f64), Variable::kRequiresGrad);
    Variable theirs = cell(x, h);
    Variable mine = mine::gru_step(linear(x, cell.weight_ih, cell.bias_ih), linear(h, cell.weight_hh, cell.bias_hh), h);
    if (!e.check(fmt::format("h' with {} hidden units", N), mine.value(), theirs.value(), 1e-12)) continue;
    e.check(fmt::format("the gradient by h with {} hidden units", N), grad({sum(square(mine))}, {h})[0].value(),
            grad({sum(square(theirs))}, {h})[0].value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 1, "One step of a GRU");
  e.hint("sigmoid(from_x[0] + from_h[0]) is r for the whole batch, [B, N].");
  e.hint("r multiplies from_h[2], which is the state after the product with W_h.");
  e.hint("Where z is 1 the state stays as it is; where z is 0 it becomes n.");
  e.insight(
      "Where z is near 1 the state is copied and its gradient is multiplied by z instead of a weight matrix:\n"
      "this is how a GRU remembers for many steps. r lets the candidate ignore the old state.",
      "./heed exercise 08 2");
  return e.run(argc, argv, examine);
}
