// Hints and checks of exercise 08.3.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "nn/init.h"
#include "tutorials/08_recurrent/cells.h"
#include "tutorials/08_recurrent/exercises/3_truncated.h"
#include "tutorials/08_recurrent/path.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(1);
  nn::RNNCell cell({.input = 2, .hidden = 6}, rng);
  nn::convert(cell, DType::f64);
  for (auto [window, steps] : {std::pair<int64_t, int64_t>{4, 12}, {6, 12}, {3, 13}, {6, 5}}) {
    Tensor x = nn::init::normal({3, steps, 2}, rng, {}, DType::f64);
    Variable h = Tensor::zeros({3, 6}, DType::f64);
    for (int64_t t = 0; t < steps; ++t) {
      NameScope scope(fmt::format("step {}", t + 1));
      h = recurrent::step(cell, x.select(1, t), mine::begin_step(h, t, window));
    }
    std::vector<Variable> whole = recurrent::steps(cell, x);
    const int64_t last_bar = (steps - 1) / window * window;
    const std::string where = fmt::format("{} steps in windows of {}: ", steps, window);
    e.check(where + "the last state", h.value(), whole.back().value(), 1e-12);
    e.check(where + "steps on the longest path of the graph", static_cast<double>(recurrent::longest_path(h).steps),
            static_cast<double>(steps - last_bar), 0);
    Variable last = Tensor::zeros({3, 6}, DType::f64);  // the last window by itself
    if (last_bar > 0) last = whole[static_cast<size_t>(last_bar - 1)].detach();
    for (int64_t t = last_bar; t < steps; ++t) last = recurrent::step(cell, x.select(1, t), last);
    e.check(where + "the gradient by W_h", grad({sum(h)}, {cell.weight_hh})[0].value(),
            grad({sum(last)}, {cell.weight_hh})[0].value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 3, "Truncated backpropagation");
  e.hint("A window begins at the steps 0, window, 2 window, ..");
  e.hint("Variable::detach() is the same value as a constant (autograd/variable.h).");
  e.insight(
      "Memory and time of a backward pass now depend on the window, not on the length of the text.\n"
      "The price: a dependency that is longer than the window can be used, but it cannot be learnt.",
      "./heed run 09");
  return e.run(argc, argv, examine);
}
