// Key-value memory (Miller et al., EMNLP 2016): a question finds keys, and reads the values that belong to them.
//
// The weights are computed by nn::Attention from keys of two numbers, set by hand; the arrows are as thick as they are.
#include "nn/attention/attention.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

Canvas draw_memory() {
  constexpr int kSlots = 4;
  Generator rng(1);
  const nn::Attention attention({.score = {.name = "dot", .query = 2, .key = 2}}, rng);
  const Variable keys =
      Tensor::from(std::vector<float>{0.2F, 0.1F, 1.8F, 0.2F, -0.4F, 1.2F, 1.0F, 0.4F}, {1, kSlots, 2});
  const Variable query = Tensor::from(std::vector<float>{1.5F, 0}, {1, 1, 2});
  const std::vector<double> weights = attention(query, attention.remember(keys, keys)).weights.value().to_vector();

  Canvas c(472);
  const std::vector<std::string> printed = c.shares(weights, 0, " %");
  c.text({302, 34}, "keys", {.size = 22});
  c.text({506, 34}, "values", {.size = 22});
  const Rect asked = c.circle({84, 215}, 36, "u", {.fill = Ink::good, .text = {.size = 26, .math = true}});
  c.text({84, 34}, "query", {.size = 22});
  const Rect read =
      c.circle({652, 215}, 34, "o", {.fill = Ink::gold, .strength = 0.3, .text = {.size = 26, .math = true}});
  c.text({652, 34}, "sum", {.size = 22});
  c.text({404, 34}, "weights", {.size = 22, .ink = Ink::accent});
  for (int i = 0; i < kSlots; ++i) {
    const double w = weights[static_cast<size_t>(i)], y = 98 + 78.0 * i;
    const std::string number = std::to_string(i + 1);
    const Rect key = c.box(around({302, y}, 90, 50), "k_" + number, {.fill = Ink::accent, .text = {.size = 24}});
    const Rect value = c.box(around({506, y}, 90, 50), "v_" + number, {.fill = Ink::gold, .text = {.size = 24}});
    c.arrow(asked.right(), key.left(), {.ink = Ink::accent, .thickness = 11 * w, .head = w > 0.1});
    c.arrow(value.right(), read.left(), {.ink = Ink::gold, .thickness = 11 * w, .head = w > 0.1});
    c.text({404, y}, printed[static_cast<size_t>(i)], {.size = 22, .ink = Ink::accent});
  }
  c.route({read.bottom(), {652, 412}, {84, 412}, asked.bottom()}, {.dashed = true});
  c.text({360, 440}, "next hop: the query is u + o", {.size = 22, .math = true});
  c.legend({"u: query", "k: key", "v: value", "o: the weighted sum that was read"});
  return c;
}

}  // namespace heed::course
