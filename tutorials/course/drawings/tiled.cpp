// Tiled attention: the scores of a row come block by block, and a running maximum m and a running sum l make a softmax
// of them that never needs the whole row.
//
//   m' = max(m, max e)        l' = e^(m - m') l + sum e^(e - m')        (tensor/kernels/tiled_attention.h)
//
// m and l are those of the library's kernel after the first block, after two, and after all three.
#include <fmt/format.h>

#include "tensor/kernels/tiled_attention.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

Canvas draw_tiled() {
  constexpr int kBlock = 3, kBlocks = 3, kTiledRows = 6;
  constexpr double kTiledSize = 27;
  const std::vector<float> scores = {1, 0, 2, 3, 1, 0, 2, 0, 1};
  Canvas c(544);
  // The matrix of scores, of which only one tile exists at a time.
  const Rect all = c.grid({36, 66}, kTiledRows, kBlock * kBlocks, kTiledSize, [&](int i, int j) {
    const int tile = i / 2 * kBlocks + j / kBlock;
    return tile < 4 ? Cell{Ink::accent, 0.22, ""} : tile == 4 ? Cell{Ink::gold, 0.7, ""} : Cell{Ink::none, 0, ""};
  });
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < kBlocks; ++j)
      c.box({all.x + j * kBlock * kTiledSize, all.y + i * 2 * kTiledSize, kBlock * kTiledSize, 2 * kTiledSize}, "",
            {.fill = Ink::none, .stroke = Ink::ink, .thickness = 2.2, .radius = 0});
  c.text({all.centre().x, 34}, "scores, tile by tile", {.size = 22});
  const auto legend = [&](double y, Ink ink, double strength, const std::string& words) {
    c.box({316, y - 11, 22, 22}, "", {.fill = ink, .strength = strength, .thickness = 1, .radius = 0});
    c.text({350, y}, words, {.size = 20, .anchor = Anchor::start});
  };
  legend(86, Ink::accent, 0.22, "done, not stored");
  legend(122, Ink::gold, 0.7, "in the cache of the processor");
  legend(158, Ink::none, 0, "not yet computed");

  c.text({360, 262}, "one row: its blocks, its running maximum and sum", {.size = 22});
  Rect before{};
  double top = 0;  // m before the block
  for (int b = 0; b < kBlocks; ++b) {
    const int64_t keys = (b + 1) * kBlock;
    const Tensor k = Tensor::from(std::vector<float>(scores.begin(), scores.begin() + keys), {1, keys, 1, 1});
    const TiledContext seen = tiled_attention(Tensor::ones({1, 1, 1, 1}), k, k, {});
    const double middle = 120 + 240.0 * b;
    const Rect block = c.grid(
        {middle - 66, 292}, 1, kBlock, 44,
        [&](int, int j) {
          return Cell{Ink::gold, 0.3, fmt::format("{:.0f}", scores[static_cast<size_t>(b * kBlock + j)])};
        },
        22);
    const Rect state =
        c.box(around({middle, 426}, 132, 72), fmt::format("m = {:.0f}\nl = {:.2f}", seen.top.item(), seen.total.item()),
              {.fill = Ink::accent, .text = {.size = 22, .math = true}});
    c.arrow(block.bottom(), state.top());
    if (b > 0) {
      c.arrow(before.right(), state.left(), {.ink = Ink::accent, .thickness = 3});
      c.text({middle - 120, 402}, fmt::format("l · exp({:.0f} − {:.0f})", top, seen.top.item()),
             {.size = 20, .math = true});
    }
    before = state;
    top = seen.top.item();
  }
  c.text({150, 512}, "m' = max(m, max e)", {.size = 20, .ink = Ink::accent, .math = true});
  c.text({516, 512}, "l' = exp(m − m') l + ∑ exp(e − m')", {.size = 20, .ink = Ink::accent, .math = true});
  c.legend({"e: score", "m: maximum", "l: sum", "m', l': after the next block"});
  return c;
}

}  // namespace heed::course
