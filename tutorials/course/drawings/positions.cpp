// Two ways to say where a word is: a row of its own, added to the word (sinusoids of 2017), or a number for each
// distance, added to the score (ALiBi). Both tables are those of the library.
#include <fmt/format.h>

#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/sinusoidal.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr int kWords = 6, kWidth = 6;
constexpr double kPositionsTop = 132;

}  // namespace

Canvas draw_positions() {
  Canvas c(446);
  const TextStyle soft{.size = 20, .ink = Ink::soft};
  Generator rng(1);
  const Tensor words = Tensor::uniform({kWords, kWidth}, rng, -1, 1);
  const Tensor table = nn::sinusoidal_positions(kWords, {.width = kWidth});
  c.text({179, 34}, "absolute", {.size = 24, .bold = true});
  const double size = 24;
  const Rect x = c.grid({20, kPositionsTop}, kWords, kWidth, size, [&](int i, int j) {
    return c.signed_cell(words.at({i, j}));
  });
  const Rect p = c.grid({194, kPositionsTop}, kWords, kWidth, size, [&](int i, int j) {
    return c.signed_cell(table.at({i, j}));
  });
  c.text({179, x.centre().y}, "+", {.size = 26});
  c.text({x.centre().x, 110}, "words x", {.size = 20, .math = true});
  c.text({p.centre().x, 110}, "positions P", {.size = 20, .math = true});
  c.text({179, 340}, "each position has its own row,", soft);
  c.text({179, 366}, "added to its word", soft);

  const nn::AlibiBias alibi({.heads = 1}, rng);
  const Tensor bias = alibi({.queries = kWords, .keys = kWords}).value().select(0, 0).select(0, 0);  // [T, S]
  const double unit = bias.at({0, 1});  // of one step of distance
  c.text({540, 34}, "relative", {.size = 24, .bold = true});
  const Rect d = c.grid({432, 96}, kWords, kWords, 36, [&](int i, int j) {
    const double steps = bias.at({i, j}) / unit;
    return c.signed_cell(-0.14 * steps, fmt::format("{}{:.0f}", steps > 0 ? "−" : "", steps));
  });
  c.text({d.centre().x, 74}, "added to the scores", {.size = 20});
  c.text({540, 340}, "the same number wherever", soft);
  c.text({540, 366}, "the distance is the same", soft);
  c.arrow({382, 40}, {382, 380}, {.ink = Ink::line, .head = false});
  c.sign_legend({230, 404}, {390, 404});
  return c;
}

}  // namespace heed::course
