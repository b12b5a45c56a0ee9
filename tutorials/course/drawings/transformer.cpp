// The whole transformer with every block, as lesson 26 trains it: norm first. Read from bottom to top; the encoder is
// on the left, the decoder on the right. Each block has a name (BoxStyle::part), by which the page of the lesson shows
// its formula, its code and its shape (tutorials/26_transformer/blocks.md).
//
//   a sub-layer    h + f(norm(h))    f: self-attention, cross-attention or the feed-forward network
#include "nn/transformer/transformer.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kWide = 196, kGap = 22;

// A stack of blocks that is built upwards from `top`.
struct Tower {
  Canvas& c;
  double x, top;
  double side;  // -1: the way past a sub-layer is on the left, 1: on the right

  Rect block(const std::string& words, const std::string& part, Ink ink, double high = 44, double gap = kGap) {
    const Rect place{x - kWide / 2, top - gap - high, kWide, high};
    c.arrow({x, top}, place.bottom());
    top = place.y;
    return c.box(place, words, {.fill = ink, .text = {.size = 20, .math = true}, .part = part});
  }
  Rect sub_layer(const std::string& words, const std::string& part, Ink ink, double high = 44) {
    const double begin = top - 12;
    c.arrow({x, top}, {x, begin}, {.head = false, .gap = 0});
    top = begin;
    block("norm", "norm", Ink::faint, 36);
    const Rect f = block(words, part, ink, high);
    const Rect plus = c.circle({x, top - kGap - 15}, 15, "+", {.text = {.size = 22}, .part = "residual"});
    c.arrow({x, top}, plus.bottom());
    const Point past = side < 0 ? plus.left() : plus.right();
    c.route({{x, begin}, {x + side * 122, begin}, {x + side * 122, past.y}, past}, {.gap = 1});
    top = plus.y;
    return f;
  }
};

void frame(Canvas& c, double left, double bottom, double top) {
  c.box({left, top - 16, 282, bottom - top + 10}, "",
        {.fill = Ink::none, .stroke = Ink::faint, .radius = 14, .dashed = true});
}

}  // namespace

Canvas draw_transformer() {
  constexpr double kHigh = 1076;
  Canvas c(kHigh);
  Tower encoder{c, 172, kHigh - 50, -1}, decoder{c, 540, kHigh - 50, 1};
  c.text({encoder.x, kHigh - 34}, "the agreement …", {.size = 22});
  c.text({decoder.x, kHigh - 34}, "<s> l' accord …", {.size = 22, .code = true});
  for (Tower* tower : {&encoder, &decoder}) {
    tower->block("embedding", "embedding", Ink::card);
    tower->block("+ positions", "positions", Ink::card);
  }

  for (Tower* tower : {&encoder, &decoder}) {
    c.arrow({tower->x, tower->top}, {tower->x, tower->top - 18}, {.head = false, .gap = 0});
    tower->top -= 18;
  }
  const double bottom = encoder.top;
  encoder.sub_layer("self-attention", "self_attention", Ink::accent);
  encoder.sub_layer("feed-forward", "feed_forward", Ink::good);
  frame(c, 28, bottom, encoder.top);
  c.text({34, encoder.top - 34}, "N layers", {.size = 20, .ink = Ink::soft, .anchor = Anchor::start, .math = true});
  encoder.block("norm", "norm", Ink::faint, 36, 50);
  const Rect memory = encoder.block("encoder outputs m", "memory", Ink::gold);
  c.text({memory.centre().x, memory.y - 22}, "keys and values", {.size = 20, .ink = Ink::gold});

  decoder.sub_layer("masked\nself-attention", "masked", Ink::accent, 60);
  const Rect cross = decoder.sub_layer("cross-attention", "cross_attention", Ink::gold);
  decoder.sub_layer("feed-forward", "feed_forward", Ink::good);
  frame(c, 402, bottom, decoder.top);
  c.text({686, decoder.top - 34}, "N layers", {.size = 20, .ink = Ink::soft, .anchor = Anchor::end, .math = true});
  decoder.block("norm", "norm", Ink::faint, 36, 50);
  decoder.block("linear", "linear", Ink::card);
  const Rect last = decoder.block("softmax", "softmax", Ink::card);
  c.arrow(last.top(), {decoder.x, last.y - 30});
  c.text({decoder.x, last.y - 44}, "next word: sur", {.size = 22});
  c.route({memory.right(), {356, memory.centre().y}, {356, cross.centre().y}, cross.left()},
          {.ink = Ink::gold, .thickness = 4});
  c.legend({"N: number of layers"});
  return c;
}

}  // namespace heed::course
