// A look-up in a table that finds one row, and a soft one that finds all rows a little: attention.
//
// The weights are those of nn::attend for the scores -(q - k)^2 / 2 of a query between two keys (Nadaraya and Watson,
// 1964).
#include <fmt/format.h>

#include <cmath>

#include "nn/attention/attend.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kKeys[] = {1, 2, 3, 4}, kValues[] = {10, 30, 20, 50}, kQuery = 2.1;
constexpr int kSoftLookupRows = 4;

Rect table(Canvas& c, double left, const std::function<Cell(int row)>& share) {
  c.text({left + 27, 108}, "key", {.size = 20, .ink = Ink::soft});
  c.text({left + 87, 108}, "value", {.size = 20, .ink = Ink::soft});
  return c.grid(
      {left, 128}, kSoftLookupRows, 2, 56,
      [&](int i, int j) {
        Cell cell = share(i);
        cell.text = fmt::format("{:.0f}", j == 0 ? kKeys[i] : kValues[i]);
        return cell;
      },
      22);
}

}  // namespace

Canvas draw_soft_lookup() {
  std::vector<double> scores, values;
  for (int i = 0; i < kSoftLookupRows; ++i) {
    scores.push_back(-std::pow(kQuery - kKeys[i], 2) / 2);
    values.push_back(kValues[i]);
  }
  const nn::Attended out =
      nn::attend(Tensor::from(scores, {1, 1, kSoftLookupRows}), Tensor::from(values, {1, kSoftLookupRows, 1}));
  const std::vector<double> weights = out.weights.value().to_vector();

  Canvas c(466);
  const std::vector<std::string> printed = c.shares(weights, 0, " %");
  c.text({150, 34}, "a table", {.size = 24, .bold = true});
  c.text({530, 34}, "attention", {.size = 24, .bold = true});
  c.text({150, 70}, "query 2", {.size = 22, .ink = Ink::good});
  c.text({530, 70}, fmt::format("query {}", kQuery), {.size = 22, .ink = Ink::good});
  const Rect hard = table(c, 94, [](int i) { return i == 1 ? Cell{Ink::gold, 0.7, ""} : Cell{Ink::faint, 0.1, ""}; });
  const Rect soft = table(c, 394, [&](int i) {
    return Cell{Ink::gold, std::round(20 * weights[static_cast<size_t>(i)] * 1.6) / 20, ""};
  });
  c.arrow(hard.right(0.375), {278, hard.right(0.375).y}, {.ink = Ink::gold, .thickness = 5});
  c.text({302, hard.right(0.375).y}, "30", {.size = 24});
  const Rect sum = c.circle({664, soft.centre().y}, 36, fmt::format("{:.1f}", out.context.item()),
                            {.fill = Ink::gold, .stroke = Ink::gold, .text = {.size = 22}});
  for (int i = 0; i < kSoftLookupRows; ++i) {
    const double w = weights[static_cast<size_t>(i)], y = soft.y + 56 * (i + 0.5);
    c.text({540, y}, printed[static_cast<size_t>(i)], {.size = 20, .ink = Ink::gold});
    c.arrow({572, y}, {sum.x, sum.centre().y + (i - 1.5) * 11},
            {.ink = Ink::gold, .thickness = 12 * w, .head = w > 0.2});
  }
  c.text({150, 404}, "one row is read:", {.size = 20});
  c.text({150, 432}, "the choice has no gradient", {.size = 20});
  c.text({530, 404}, "all rows are read a little:", {.size = 20});
  c.text({530, 432}, "the weights have gradients", {.size = 20});
  c.arrow({346, 30}, {346, 450}, {.ink = Ink::line, .head = false});
  return c;
}

}  // namespace heed::course
