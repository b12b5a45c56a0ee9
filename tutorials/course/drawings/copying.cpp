// The output of a pointer-generator: what is written and what is copied add up, word by word.
//
// The attention weights are gathered by the function that the library's output heads use.
#include "autograd/ops.h"
#include "nn/output_heads/output_head.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

Canvas draw_copying() {
  constexpr double kLeft = 196, kStep = 104, kBar = 72, kHigh = 108, kRow = 128, kTop = 62, kGate = 0.25;
  const std::vector<std::string> words{"owns", "from", "lamp", "mirano", "tukela"};  // 0, 1, 2 are the vocabulary
  const std::vector<double> p{0.08, 0.12, 0.8, 0, 0};
  // "mirano gave the lamp to tukela": the places of mirano, lamp and tukela
  const Variable a(Tensor::from(std::vector<double>{0.8, 0.15, 0.05}, {1, 3}));
  const std::vector<double> copied =
      nn::copied(a, Tensor::from(std::vector<int64_t>{3, 2, 4}, {1, 3}), 5).value().to_vector();
  Canvas c(kTop + 3 * kRow + 10);
  for (std::size_t w = 0; w < words.size(); ++w)
    c.text({kLeft + kStep * static_cast<double>(w) + kBar / 2, 24}, words[w], {.size = 22, .bold = w > 2});
  const std::vector<std::string> names{"write, g = 0.25", "copy, 1 − g", "together"};
  for (std::size_t r = 0; r < names.size(); ++r) {
    const double base = kTop + kRow * static_cast<double>(r + 1) - 14;
    c.text({14, base - 16}, names[r], {.size = 20, .anchor = Anchor::start, .bold = r == 2, .math = r < 2});
    std::vector<double> values;
    for (std::size_t w = 0; w < words.size(); ++w)
      values.push_back((r == 1 ? 0 : kGate * p[w]) + (r == 0 ? 0 : (1 - kGate) * copied[w]));
    const std::vector<std::string> printed = c.shares(values, 2);
    for (std::size_t w = 0; w < words.size(); ++w) {
      const double x = kLeft + kStep * static_cast<double>(w), high = kHigh * values[w];
      const bool impossible = r == 0 ? w > 2 : r == 1 && w < 2;
      if (impossible)
        c.box({x, base - 6, kBar, 6}, "", {.fill = Ink::none, .stroke = Ink::faint, .radius = 0, .dashed = true});
      else
        c.box({x, base - high, kBar, high}, "",
              {.fill = r == 1 ? Ink::gold : Ink::accent, .strength = r == 2 ? 0.7 : 0.45, .thickness = 1, .radius = 0});
      c.text({x + kBar / 2, base - (impossible ? 6 : high) - 14}, impossible ? "0" : printed[w],
             {.size = 20, .ink = impossible ? Ink::faint : Ink::ink});
    }
  }
  c.legend({"g: the probability that the word is written, not copied"});
  return c;
}

}  // namespace heed::course
