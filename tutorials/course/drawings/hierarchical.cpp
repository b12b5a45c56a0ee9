// Hierarchical attention (Yang et al., NAACL 2016): words are summed to a vector for each sentence, and the sentences
// to one vector for the document. The words are the toy grammar's; the weights are nn::attend's for scores set by hand.
#include <fmt/format.h>

#include "nn/attention/attend.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/sentence.h"

namespace heed::course {
namespace {

std::vector<double> softmax_of(const std::vector<double>& scores) {
  const auto count = static_cast<int64_t>(scores.size());
  const Variable values = Tensor::zeros({1, count, 1}, DType::f64);
  return nn::attend(Tensor::from(scores, {1, 1, count}), values).weights.value().to_vector();
}

}  // namespace

Canvas draw_hierarchical() {
  struct Sentence {
    std::vector<std::string> words;
    std::vector<double> weights;
    double x, first, pitch;
  };
  const std::vector<Sentence> sentences = {
      {showcase_words("student"), softmax_of({0.2, 0, 0, 2}), 182, 38, 96},
      {showcase_words("love"), softmax_of({0.3, 2, 1.6}), 550, 440, 110},
  };
  const std::vector<double> outer = softmax_of({0, 0.7});

  Canvas c(470);
  const std::vector<std::string> shares = c.shares(outer, 0, " %");
  const Rect document = c.box(around({366, 62}, 180, 56), "document", {.fill = Ink::good, .thickness = 2.4});
  for (size_t m = 0; m < sentences.size(); ++m) {
    const auto& [words, weights, x, first, pitch] = sentences[m];
    const Rect vector = c.box(around({x, 206}, 176, 54), fmt::format("sentence s_{}", m + 1), {.fill = Ink::accent});
    const bool left = m == 0;
    const std::vector<std::string> inner = c.shares(weights, 0, " %");
    c.flow(vector.top(), document.bottom(left ? 0.3 : 0.7), {.ink = Ink::good, .thickness = 14 * outer[m]});
    c.text({left ? 160.0 : 572.0, 146}, shares[m], {.ink = Ink::good, .anchor = left ? Anchor::end : Anchor::start});
    const auto count = static_cast<double>(words.size());
    for (size_t l = 0; l < words.size(); ++l) {
      const double at = first + pitch * static_cast<double>(l), share = (static_cast<double>(l) + 0.5) / count;
      c.text({at, 420}, words[l]);
      c.text({at, 388}, inner[l], {.size = 20, .ink = Ink::accent});
      c.flow({at, 372}, vector.bottom(share),
             {.ink = Ink::accent, .thickness = 14 * weights[l], .head = weights[l] > 0.15});
    }
  }
  return c;
}

}  // namespace heed::course
