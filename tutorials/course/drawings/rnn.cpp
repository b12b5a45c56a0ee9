// A recurrent network, folded and unrolled: the same cell with the same weights at every word (nn/recurrent/rnn.h).

#include "nn/recurrent/rnn.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/sentence.h"

namespace heed::course {

Canvas draw_rnn() {
  Generator rng(1);
  nn::RNNCell cell({.input = 3, .hidden = 4}, rng);
  std::string shapes;
  for (const NamedVariable& p : nn::named_parameters(cell))
    if (p.name.starts_with("weight"))
      shapes += (shapes.empty() ? "" : " · ") + p.name + " " + to_string(p.variable.shape());
  const std::vector<std::string> words = showcase_words("agreement");

  Canvas c(456);
  const BoxStyle unit{.fill = Ink::accent, .thickness = 2.2};
  // Folded.
  const Rect folded = c.box(around({86, 190}, 84, 64), "RNN", unit);
  c.arrow({86, 296}, folded.bottom());
  c.text({86, 314}, "x_t", {.size = 24});
  c.arrow(folded.top(), {86, 100});
  c.text({86, 80}, "h_t", {.size = 24});
  c.route(
      {{folded.x + 84, 176}, {folded.x + 118, 176}, {folded.x + 118, 244}, {folded.x + 54, 244}, {folded.x + 54, 222}},
      {.ink = Ink::gold});
  c.text({212, 190}, "=", {.size = 34, .ink = Ink::soft});
  // Unrolled over the first words.
  Rect before{};
  for (int t = 0; t < 4; ++t) {
    const double x = 318 + 112 * t;
    const Rect one =
        c.box(around({x, 190}, 72, 64), "RNN", {.fill = Ink::accent, .thickness = 2.2, .text = {.size = 20}});
    const std::string step = std::to_string(t + 1);
    c.arrow({x, 296}, one.bottom());
    c.text({x, 314}, "x_" + step, {.size = 24});
    c.text({x, 350}, t == 3 ? "…" : words[static_cast<size_t>(t)], {.size = 20, .ink = Ink::soft});
    c.arrow(one.top(), {x, 100});
    c.text({x, 80}, "h_" + step, {.size = 24});
    c.arrow(t == 0 ? Point{256, 190} : before.right(), one.left(), {.ink = Ink::gold, .gap = t == 0 ? 2.0 : 4.0});
    before = one;
  }
  c.text({250, 158}, "h_0", {.size = 24});
  c.arrow(before.right(), {712, 190}, {.ink = Ink::gold, .gap = 3});
  c.text({360, 30}, "h_t = tanh(W_{ih} x_t + b_{ih} + W_{hh} h_{t−1} + b_{hh})", {.size = 22});
  c.text({360, 398}, "the same weights at every step", {.size = 20});
  c.text({360, 428}, shapes, {.size = 20, .ink = Ink::soft, .code = true});
  c.legend({"x_t: word", "h_t: state", "W: weights", "b: biases"});
  return c;
}

}  // namespace heed::course
