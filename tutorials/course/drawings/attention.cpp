// The same encoder and decoder with attention: at each step the decoder weighs all encoder states anew.
//
// The arrows are as thick as the weights. These are computed by nn::Attention (scaled dot products) from vectors of two
// numbers, set by hand: the first stands for "what was agreed", the second for "what was done".
#include "nn/attention/attention.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/sentence.h"

namespace heed::course {
namespace {

std::vector<double> vector_of(const std::string& word) {
  if (word == "agreement") return {2.6, 0};
  if (word == "was") return {0, 1.6};
  if (word == "signed") return {0, 2.6};
  return {0.2, 0.2};
}

std::vector<double> weights_of(const std::vector<std::string>& words, const std::vector<double>& query) {
  std::vector<double> numbers;
  for (const std::string& word : words)
    for (double one : vector_of(word)) numbers.push_back(one);
  Generator rng(1);
  const nn::Attention attention({.score = {.name = "scaled_dot", .query = 2, .key = 2}}, rng);
  const Variable keys = Tensor::from(numbers, {1, static_cast<int64_t>(words.size()), 2}).to(DType::f32);
  const Variable asked = Tensor::from(query, {1, 1, 2}).to(DType::f32);
  return attention(asked, attention.remember(keys, keys)).weights.value().to_vector();
}

}  // namespace

Canvas draw_attention() {
  const Excerpt words = agreement();
  const std::vector<double> weights = weights_of(words.source, {0, 2});
  Canvas c(520);
  const std::vector<std::string> printed = c.shares(weights, 1, " %");
  const auto sources = static_cast<int>(words.source.size()), targets = static_cast<int>(words.target.size());
  std::vector<Rect> encoder, decoder;
  const Rect context = c.box(
      around({584, 302}, 200, 52), "c_t",
      {.fill = Ink::gold, .stroke = Ink::gold, .strength = 0.25, .thickness = 2.4, .radius = 26, .text = {.size = 24}});
  for (int s = 0; s < sources; ++s) {
    const auto k = static_cast<size_t>(s);
    const double x = 78 + 564.0 * s / (sources - 1);
    const std::string index = s < 2 ? std::to_string(s + 1) : s + 1 == sources ? "S" : "{S−1}";
    c.text({x, 30}, words.source[k], {.size = 22});
    encoder.push_back(
        c.box(around({x, 104}, 84, 50), words.source[k] == "…" ? "…" : "h_" + index, {.fill = Ink::accent}));
    c.arrow({x, 43}, encoder.back().top());
    if (s > 0) c.arrow(encoder[k - 1].right(), encoder.back().left());
    c.text({x, 152}, printed[k], {.size = 22, .ink = Ink::gold});
    c.flow({x, 164}, context.top(0.14 + 0.72 * s / (sources - 1)),
           {.ink = Ink::gold, .thickness = 16 * weights[k], .head = weights[k] > 0.1, .strength = 0.85});
  }
  for (int t = 0; t < targets; ++t) {
    const auto k = static_cast<size_t>(t);
    const double x = 60 + 582.0 * t / (targets - 1);
    const bool now = t + 1 == targets;
    const std::string index = t < 2 ? std::to_string(t + 1) : now ? "t" : t + 2 == targets ? "{t−1}" : "{t−2}";
    decoder.push_back(c.box(around({x, 408}, 80, 50), words.target[k] == "…" ? "…" : "s_" + index,
                            {.fill = Ink::good, .thickness = now ? 3.0 : 1.6}));
    c.text({x, 488}, words.target[k], {.size = 22, .bold = now});
    c.arrow(decoder.back().bottom(), {x, 473});
    if (t > 0) c.arrow(decoder[k - 1].right(), decoder.back().left());
  }
  const Point now = decoder.back().top(), before = decoder[decoder.size() - 2].top();
  c.arrow({now.x, context.y + context.height}, now, {.ink = Ink::gold, .thickness = 4});
  c.arrow(before, {before.x, context.y + context.height}, {.dashed = true});
  c.text({before.x - 12, 355}, "query", {.size = 20, .ink = Ink::soft, .anchor = Anchor::end});
  c.text({40, 302}, "c_t = ∑_s w_{ts} h_s", {.size = 24, .ink = Ink::gold, .anchor = Anchor::start});
  c.legend({"h_s: encoder state", "s_t: decoder state", "w_{ts}: weight of h_s for s_t", "c_t: context"});
  return c;
}

}  // namespace heed::course
