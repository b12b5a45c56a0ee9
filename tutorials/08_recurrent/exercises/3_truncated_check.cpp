// Hints, common mistakes and checks of exercise 08.3.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "nn/init.h"
#include "tutorials/08_recurrent/cells.h"
#include "tutorials/08_recurrent/exercises/3_truncated.h"
#include "tutorials/08_recurrent/path.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using V = const Variable&;

Variable cut_if(bool cut, V h) { return cut ? h.detach() : h; }

const std::vector<app::Mistake<decltype(&mine::begin_step)>> mistakes{
    {"The gap is still open: the graph reaches back to the first step", [](V h, int64_t, int64_t) { return h; }},
    {"The state becomes 0 at each bar: only its gradient stops there, its value goes on",
     [](V h, int64_t t, int64_t w) { return t % w == 0 ? Variable(Tensor::zeros(h.shape(), h.dtype())) : h; }},
    {"The graph is cut at every step: cut it only where a window begins",
     [](V h, int64_t, int64_t) { return h.detach(); }},
    {"The graph is cut one step too early: steps are counted from 0, and a window begins where t is a multiple of "
     "`window`",
     [](V h, int64_t t, int64_t w) { return cut_if((t + 1) % w == 0, h); }},
    {"The graph is cut one step too late: a window begins where t is a multiple of `window`, not one step later",
     [](V h, int64_t t, int64_t w) { return cut_if(t % w == 1, h); }},
    {"The graph is cut at the first bar only: every multiple of `window` needs a cut",
     [](V h, int64_t t, int64_t w) { return cut_if(t == w, h); }},
    {"The condition is the wrong way round: the graph is cut inside the windows, and connected at the bars",
     [](V h, int64_t t, int64_t w) { return cut_if(t % w != 0, h); }},
    {"Every step from the first bar on is cut: only the steps at which a window begins",
     [](V h, int64_t t, int64_t w) { return cut_if(t >= w, h); }},
    {"The windows are one step too long: they begin at multiples of `window`, not of window + 1",
     [](V h, int64_t t, int64_t w) { return cut_if(t % (w + 1) == 0, h); }},
};

void examine(app::Exercise& e, const decltype(&mine::begin_step)& begin_step) {
  Generator rng(1);
  nn::RNNCell cell({.input = 2, .hidden = 6}, rng);
  nn::convert(cell, DType::f64);
  for (auto [window, steps] : {std::pair<int64_t, int64_t>{4, 12}, {6, 12}, {3, 13}, {6, 5}}) {
    Tensor x = nn::init::normal({3, steps, 2}, rng, {}, DType::f64);
    Variable h = Tensor::zeros({3, 6}, DType::f64);
    for (int64_t t = 0; t < steps; ++t) {
      NameScope scope(fmt::format("step {}", t + 1));
      h = recurrent::step(cell, x.select(1, t), begin_step(h, t, window));
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
  return e.run(argc, argv, mine::begin_step, examine, mistakes);
}
