// Sparse attention weights: the same five scores under softmax, entmax and sparsemax.
//
// The weights are computed by the normalisers of the library.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/sparsemax.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

Canvas draw_simplex() {
  constexpr double kLeft = 214, kStep = 98, kBar = 70, kHigh = 92, kRow = 132, kTop = 60;
  const std::vector<double> scores{2, 1.5, 1, 0, -1};
  const Variable e(Tensor::from(scores, {1, 5}));
  const std::vector<std::pair<std::string, Variable>> rows{
      {"softmax", softmax(e, -1)},
      {"entmax 1.5", nn::entmax(e, Variable(Tensor::scalar(1.5, DType::f64)))},
      {"sparsemax", nn::sparsemax(e)}};
  Canvas c(kTop + 3 * kRow + 8);
  c.text({14, 26}, "score", {.size = 22, .ink = Ink::soft, .anchor = Anchor::start});
  for (std::size_t s = 0; s < scores.size(); ++s)
    c.text({kLeft + kStep * static_cast<double>(s) + kBar / 2, 26}, fmt::format("{:g}", scores[s]), {.size = 22});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double base = kTop + kRow * static_cast<double>(r + 1) - 12;
    c.text({14, base - 16}, rows[r].first, {.size = 22, .anchor = Anchor::start});
    const std::vector<double> w = rows[r].second.value().to_vector();
    const std::vector<std::string> printed = c.shares(w, 3);
    for (std::size_t s = 0; s < w.size(); ++s) {
      const double x = kLeft + kStep * static_cast<double>(s), high = kHigh * w[s];
      if (w[s] > 0)
        c.box({x, base - high, kBar, high}, "", {.fill = Ink::accent, .strength = 0.45, .thickness = 1, .radius = 0});
      else
        c.box({x, base - 6, kBar, 6}, "", {.fill = Ink::none, .stroke = Ink::faint, .radius = 0, .dashed = true});
      c.text({x + kBar / 2, base - (w[s] > 0 ? high : 6) - 14}, w[s] > 0 ? printed[s] : "0",
             {.size = 20, .ink = w[s] > 0 ? Ink::ink : Ink::gold, .bold = w[s] == 0});
    }
  }
  return c;
}

}  // namespace heed::course
