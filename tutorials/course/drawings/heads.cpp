// Several heads: each attends in its own way, their contexts are put side by side, and W^O mixes them.
//
// The pictures are the weights of nn::MultiHeadAttention, untrained, for five random words. Shapes are its own.
#include <fmt/format.h>

#include <cmath>

#include "nn/attention/structures/multi_head.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr Ink kHeads[] = {Ink::accent, Ink::gold, Ink::good};
constexpr int kHeadsWords = 5, kModel = 12, kCount = 3;

// [T, D], each column in the colour of its head where it has one.
Rect matrix(Canvas& c, Point middle, int columns, const std::function<Ink(int)>& ink) {
  const double size = 15;
  return c.grid({middle.x - columns * size / 2, middle.y - kHeadsWords * size / 2}, kHeadsWords, columns, size,
                [&](int, int j) {
                  return Cell{ink(j), 0.45, ""};
                });
}

}  // namespace

Canvas draw_heads() {
  Generator rng(7);
  const nn::MultiHeadAttention attention({.model = kModel, .heads = kCount, .bias = false}, rng);
  const Variable x = Tensor::normal({1, kHeadsWords, kModel}, rng, 0, 2.4);
  const nn::MultiHeadOutput out = attention(x, {.weights = true});
  const Tensor weights = out.weights.value().select(0, 0);  // [H, T, T]
  const int width = kModel / kCount;

  Canvas c(700);
  const TextStyle soft{.size = 20, .ink = Ink::soft};
  const auto shape = [](int columns) { return fmt::format("[{}, {}]", kHeadsWords, columns); };
  const Rect words = matrix(c, {360, 62}, kModel, [](int) { return Ink::faint; });
  c.text({254, 62}, "x", {.size = 24, .anchor = Anchor::end, .math = true});
  c.text({466, 62}, shape(kModel), {.size = 20, .ink = Ink::soft, .anchor = Anchor::start});
  std::vector<Rect> parts;
  for (int h = 0; h < kCount; ++h) {
    const double middle = 130 + 230.0 * h, size = 30;
    c.flow(words.bottom(0.25 + 0.25 * h), {middle, 156}, {.ink = kHeads[h]});
    const Rect map = c.grid({middle - 75, 192}, kHeadsWords, kHeadsWords, size, [&](int i, int j) {
      return Cell{kHeads[h], std::round(20 * weights.at({h, i, j})) / 20, ""};
    });
    c.text({middle, 174}, fmt::format("weights of head {}", h + 1), {.size = 20, .ink = kHeads[h]});
    c.arrow(map.bottom(), {middle, 376}, {.ink = kHeads[h]});
    parts.push_back(matrix(c, {middle, 414}, width, [&](int) { return kHeads[h]; }));
    c.text({middle + 44, 414}, shape(width), {.size = 20, .ink = Ink::soft, .anchor = Anchor::start});
  }
  const Rect joined = matrix(c, {190, 588}, kModel, [&](int j) { return kHeads[j / width]; });
  const Rect output = matrix(c, {540, 588}, kModel, [](int) { return Ink::faint; });
  for (int h = 0; h < kCount; ++h)
    c.flow(parts[static_cast<size_t>(h)].bottom(), {joined.x + (h + 0.5) * joined.width / kCount, joined.y},
           {.ink = kHeads[h]});
  c.arrow(joined.right(), output.left());
  c.text({365, 562}, "W^O", {.size = 24});
  c.text({190, 652}, "side by side", {.size = 20});
  c.text({190, 678}, shape(kModel), soft);
  c.text({540, 652}, "output", {.size = 20});
  c.text({540, 678}, fmt::format("[{}, {}]", out.output.size(1), out.output.size(2)), soft);
  c.legend({"x: words", "W^O: output projection"});
  return c;
}

}  // namespace heed::course
