// Self-attention of one head with its shapes: three projections, scores, softmax, sum.
//
//   q = x W_q^T,  k = x W_k^T,  v = x W_v^T          e = q k^T / sqrt(K),  w = softmax(e),  c = w v
//
// The colours are real numbers: four words of width 4, projected by untrained layers to width 3.

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/layers.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kQkvSize = 26;

// A matrix as colours: orange above 0, blue below; the stronger, the larger the number.
Rect matrix(Canvas& c, Point middle, const std::string& name, const Tensor& m) {
  double top = 0;
  for (double value : m.to_vector()) top = std::max(top, std::abs(value));
  const auto rows = static_cast<int>(m.size(0)), columns = static_cast<int>(m.size(1));
  const Rect place{middle.x - columns * kQkvSize / 2, middle.y - rows * kQkvSize / 2, columns * kQkvSize,
                   rows * kQkvSize};
  c.grid({place.x, place.y}, rows, columns, kQkvSize, [&](int i, int j) { return c.signed_cell(m.at({i, j}) / top); });
  c.text({middle.x, place.y - 19}, name, {.size = 22, .math = true});
  c.text({middle.x, place.y + place.height + 17}, to_string(m.shape()), {.size = 20, .ink = Ink::soft});
  return place;
}

}  // namespace

Canvas draw_qkv() {
  Generator rng(3);
  const nn::Linear query({.in = 4, .out = 3, .bias = false}, rng), key({.in = 4, .out = 3, .bias = false}, rng),
      value({.in = 4, .out = 3, .bias = false}, rng);
  const Variable x = Tensor::normal({4, 4}, rng, 0, 2);
  const Variable q = query(x), k = key(x), v = value(x);
  const Variable scores = matmul(q, transpose(k, 0, 1)) * (1 / std::sqrt(3.0));
  const nn::Attended out = nn::attend(unsqueeze(scores, 0), unsqueeze(v, 0));

  Canvas c(584);
  const Rect words = matrix(c, {76, 292}, "x", x.value());
  const Rect queries = matrix(c, {254, 106}, "q", q.value());
  const Rect keys = matrix(c, {254, 292}, "k", k.value());
  const Rect values = matrix(c, {254, 478}, "v", v.value());
  const Rect compared = matrix(c, {438, 200}, "scores e", scores.value());
  const Rect weights = matrix(c, {638, 200}, "weights w", out.weights.value().select(0, 0));
  const Rect context = matrix(c, {638, 478}, "context c", out.context.value().select(0, 0));

  c.route({words.right(0.25), {166, words.right(0.25).y}, {166, 106}, queries.left()});
  c.arrow(words.right(), keys.left());
  c.route({words.right(0.75), {166, words.right(0.75).y}, {166, 478}, values.left()});
  c.text({188, 82}, "W_q", {.size = 22});
  c.text({188, 268}, "W_k", {.size = 22});
  c.text({188, 454}, "W_v", {.size = 22});
  c.route({queries.right(), {340, 106}, {340, 180}, {compared.x, 180}});
  c.route({keys.right(), {340, 292}, {340, 220}, {compared.x, 220}});
  c.arrow(compared.right(), weights.left());
  c.text({538, 172}, "softmax", {.size = 20});
  c.arrow({638, 274}, {638, 396}, {.gap = 6});
  c.arrow(values.right(), context.left());
  c.text({446, 318}, "e = q k^⊤ / √K", {.size = 22, .ink = Ink::accent});
  c.sign_legend({24, 474}, {24, 506});
  c.text({446, 450}, "c = w v", {.size = 22, .ink = Ink::accent, .math = true});
  c.legend({"x: words", "q: queries", "k: keys", "v: values", "W: projections", "K: their width"});
  return c;
}

}  // namespace heed::course
