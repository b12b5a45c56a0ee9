// Exercise 08.3: truncated backpropagation.
//
// A text of a million symbols cannot be one graph. So one reads `window` steps, goes backward through them, and takes
// the last state along into the next window as a plain number: its value stays, where it came from is forgotten.
//
//   states      h_1 .. h_w | h_w+1 .. h_2w | ..           the values are those of one long run
//   gradients   do not cross a bar
//
// A state that is handed on as it is has the right value, and a graph that grows without end.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "tutorials/08_recurrent/cells.h"
#include "tutorials/08_recurrent/path.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Variable;

// The state with which step t begins, t = 0, 1, ..; h: the state after step t - 1.
Variable begin_step(const Variable& h, int64_t t, int64_t window) {
  // ---- the gap, filled ----
  return t % window == 0 ? h.detach() : h;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 3, "Truncated backpropagation");
  e.hint("A window begins at the steps 0, window, 2 window, ..");
  e.hint("Variable::detach() is the same value as a constant (autograd/variable.h).");
  return e.run(argc, argv, [&] {
    using namespace heed;
    Generator rng(1);
    nn::RNNCell cell({.input = 2, .hidden = 6}, rng);
    nn::convert(cell, DType::f64);
    for (int64_t window : {4, 6}) {
      constexpr int64_t kSteps = 12;
      Tensor x = nn::init::normal({3, kSteps, 2}, rng, {}, DType::f64);
      Variable h = Tensor::zeros({3, 6}, DType::f64);
      for (int64_t t = 0; t < kSteps; ++t) {
        NameScope scope(fmt::format("step {}", t + 1));
        h = recurrent::step(cell, x.select(1, t), begin_step(h, t, window));
      }
      std::vector<Variable> whole = recurrent::steps(cell, x);
      e.check(fmt::format("the last state, window {},", window), h.value(), whole.back().value(), 1e-12);
      e.check(fmt::format("time steps on the longest path, window {},", window),
              static_cast<double>(recurrent::longest_path(h).steps), static_cast<double>(window), 0);
      Variable last = whole[static_cast<size_t>(kSteps - window - 1)].detach();  // the last window by itself
      for (int64_t t = kSteps - window; t < kSteps; ++t) last = recurrent::step(cell, x.select(1, t), last);
      e.check(fmt::format("the gradient by W_h, window {},", window), grad({sum(h)}, {cell.weight_hh})[0].value(),
              grad({sum(last)}, {cell.weight_hh})[0].value(), 1e-12);
    }
  });
}
