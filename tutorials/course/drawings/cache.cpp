// Decoding with a key-value cache: each step projects one word, appends its key and value, and reads all rows.
//
// The number of rows after each step is that of nn::HeadCache.
#include <fmt/format.h>

#include "nn/attention/memories/head_cache.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/sentence.h"

namespace heed::course {

Canvas draw_cache() {
  constexpr int kSteps = 4, kWidth = 3;
  constexpr double kSize = 23;
  const std::vector<std::string> words = showcase_words("agreement");
  nn::HeadCache cache;
  Canvas c(426);
  for (int step = 0; step < kSteps; ++step) {
    const Variable row = Tensor::ones({1, 1, 1, kWidth});
    cache.append({row, row});
    const auto rows = static_cast<int>(cache.view().keys.size(2));
    const double left = 16 + 176.0 * step, middle = left + 80;
    c.text({middle, 30}, fmt::format("step {}", step + 1), {.size = 20, .ink = Ink::soft});
    c.text({middle, 60}, words[static_cast<size_t>(step)], {.size = 22, .bold = true});
    const Rect query = c.grid({middle - kWidth * kSize / 2, 86}, 1, kWidth, kSize, Ink::good, 0.55);
    c.text({query.x - 16, query.centre().y}, "q", {.size = 22, .math = true});
    const auto rows_of = [&](double x) {
      return c.grid({x, 196}, rows, kWidth, kSize, [&](int i, int) {
        return i + 1 == rows ? Cell{Ink::gold, 0.65, ""} : Cell{Ink::accent, 0.3, ""};
      });
    };
    const Rect keys = rows_of(left + 4), values = rows_of(left + 4 + 8 + kWidth * kSize + 6);
    c.text({keys.centre().x, 176}, "K", {.size = 22, .math = true});
    c.text({values.centre().x, 176}, "V", {.size = 22, .math = true});
    c.arrow(query.bottom(), {middle, 192}, {.ink = Ink::good, .gap = 6});
    if (step > 0) c.arrow({left - 8, 84}, {left - 8, 316}, {.ink = Ink::line, .head = false});
  }
  c.box({32, 344, 22, 22}, "", {.fill = Ink::gold, .strength = 0.65, .thickness = 1, .radius = 0});
  c.text({66, 355}, "projected in this step: always one row", {.size = 22, .anchor = Anchor::start});
  c.box({32, 382, 22, 22}, "", {.fill = Ink::accent, .strength = 0.3, .thickness = 1, .radius = 0});
  c.text({66, 393}, "kept from earlier steps, not computed again", {.size = 22, .anchor = Anchor::start});
  c.legend({"q: query", "K: keys", "V: values, one row for each word"});
  return c;
}

}  // namespace heed::course
