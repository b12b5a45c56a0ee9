// The LSTM cell (nn/recurrent/lstm.h): what is kept runs along the top, and four layers decide what happens to it.
#include <fmt/format.h>

#include "nn/recurrent/lstm.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kTop = 92, kGates = 322, kBus = 420;

}  // namespace

Canvas draw_lstm() {
  Generator rng(1);
  nn::LSTMCell cell({.input = 3, .hidden = 5}, rng);
  Canvas c(510);
  const BoxStyle operation{.fill = Ink::gold, .strength = 0.22, .text = {.size = 24}};
  const LineStyle bare{.head = false, .gap = 0};

  // The cell state.
  const Rect keep = c.circle({146, kTop}, 21, "×", operation), add = c.circle({345, kTop}, 21, "+", operation);
  c.text({40, kTop}, "c_{t−1}", {.size = 24});
  c.arrow({72, kTop}, keep.left(), {.ink = Ink::accent, .thickness = 4});
  c.arrow(keep.right(), add.left(), {.ink = Ink::accent, .thickness = 4});
  c.arrow(add.right(), {668, kTop}, {.ink = Ink::accent, .thickness = 4});
  c.text({692, kTop}, "c_t", {.size = 24});
  c.text({360, 36}, "c_t = f_t · c_{t−1} + i_t · g_t", {.size = 22, .ink = Ink::accent});

  // Four layers read the word and the last state.
  const char* names[] = {"forget", "input", "candidate", "output"};
  const char* curves[] = {"f_t = σ", "i_t = σ", "g_t = tanh", "o_t = σ"};
  const double x[] = {146, 279, 412, 545};
  Rect gates[4];
  for (int k = 0; k < 4; ++k) {
    gates[k] = c.box(around({x[k], kGates}, 118, 70), std::string(names[k]) + "\n" + curves[k],
                     {.fill = Ink::accent, .text = {.size = 20}});
    c.arrow({x[k], kBus}, gates[k].bottom(), {.gap = 0});
  }
  c.arrow({92, kBus}, {545, kBus}, bare);
  c.text({48, kBus}, "h_{t−1}, x_t", {.size = 22});

  // What the gates do.
  const Rect write = c.circle({345, 190}, 21, "×", operation);
  c.arrow(gates[0].top(), keep.bottom());
  c.route({gates[1].top(), {279, 190}, write.left()});
  c.route({gates[2].top(), {412, 190}, write.right()});
  c.arrow(write.top(), add.bottom());

  // What is shown of the cell.
  const Rect squash =
      c.box(around({612, 168}, 78, 40), "tanh", {.fill = Ink::gold, .strength = 0.22, .text = {.size = 20}});
  const Rect show = c.circle({612, 248}, 21, "×", operation);
  c.arrow({612, kTop}, squash.top(), {.gap = 2});
  c.arrow(squash.bottom(), show.top());
  c.route({gates[3].top(), {545, 248}, show.left()});
  c.arrow(show.right(), {668, 248});
  c.text({692, 248}, "h_t", {.size = 24});

  std::string shapes = "the four layers are the rows of ";
  for (const NamedVariable& p : nn::named_parameters(cell))
    if (p.name == "weight_ih" || p.name == "weight_hh")
      shapes += fmt::format("{}{} [4N, {}]", shapes.back() == ']' ? ", " : "", p.name,
                            p.variable.size(1) == cell.options.input ? "I" : "N");
  c.text({360, 478}, shapes, {.size = 20, .ink = Ink::soft, .code = true});
  c.legend({"c_t: cell state", "h_t: state", "x_t: word", "f_t, i_t, o_t: gates", "g_t: candidate", "σ: sigmoid"});
  return c;
}

}  // namespace heed::course
