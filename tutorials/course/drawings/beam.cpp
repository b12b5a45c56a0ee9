// Beam search with two hypotheses, on a model of two words made by hand: greedy search takes the likelier first word
// and misses the likeliest sentence. Which sentences the searches find is asked of nn::greedy and nn::beam_search.
#include <cmath>

#include "nn/decode/search.h"
#include "nn/text/vocabulary.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

using text::Vocabulary;

// The next word depends on the last one alone. Words: the, a, cat, dog, after the special symbols.
const std::vector<std::string> kBeamWords = {"the", "a", "cat", "dog"};
constexpr int64_t kBeamFirst = Vocabulary::specials;
double chance(int64_t last, int64_t word) {  // p(word | last), as indices of kBeamWords; -1 is the beginning
  if (last == -1) return word == 0 ? 0.6 : word == 1 ? 0.4 : 0;
  if (last == 0) return word == 2 ? 0.55 : word == 3 ? 0.45 : 0;
  return word == 2 ? 0.1 : word == 3 ? 0.9 : 0;
}

class TwoWords final : public nn::SearchModel {
 public:
  int64_t rows() const override { return rows_; }
  Tensor next(const Tensor& tokens) override {
    const auto count = static_cast<int64_t>(kBeamWords.size());
    Tensor log_p = Tensor::full({rows_, kBeamFirst + count}, -1e9, DType::f64);
    for (int64_t r = 0; r < rows_; ++r) {
      const auto last = static_cast<int64_t>(tokens.at({r}));
      if (last >= kBeamFirst + 2) log_p.set({r, Vocabulary::stop}, 0);  // a noun ends the sentence
      for (int64_t w = 0; w < count && last < kBeamFirst + 2; ++w)
        if (const double p = chance(last < kBeamFirst ? -1 : last - kBeamFirst, w); p > 0)
          log_p.set({r, kBeamFirst + w}, std::log(p));
    }
    return log_p;
  }
  void keep(const Tensor& rows) override { rows_ = rows.count(); }

 private:
  int64_t rows_ = 1;
};

}  // namespace

Canvas draw_beam() {
  const nn::SearchOptions options{.length_penalty = 0};
  TwoWords one, two;
  const std::vector<int64_t> greedy = nn::greedy(one, options).at(0).tokens;
  const std::vector<nn::Hypothesis> beam = nn::beam_search(two, 2, options);

  Canvas c(520);
  const std::vector<std::string> first_words = c.shares({chance(-1, 0), chance(-1, 1)}, 2);
  std::vector<double> both;  // of the four sentences
  for (int64_t w = 0; w < 2; ++w)
    for (int64_t n = 2; n < 4; ++n) both.push_back(chance(-1, w) * chance(w, n));
  const std::vector<std::string> sentences = c.shares(both, 2);
  const Rect start = c.box(around({78, 246}, 92, 50), "start", {.text = {.size = 22}});
  for (int64_t w = 0; w < 2; ++w) {
    const double y = w == 0 ? 140 : 352;
    const Rect first = c.box(around({274, y}, 92, 50), kBeamWords[static_cast<size_t>(w)], {.fill = Ink::accent});
    const bool greedy_first = greedy.at(0) == kBeamFirst + w;
    c.arrow(start.right(), first.left(), {.ink = Ink::accent, .thickness = 3.6});
    c.text({184, w == 0 ? 170.0 : 322.0}, first_words[static_cast<size_t>(w)], {.anchor = Anchor::end});
    const std::vector<std::string> next = c.shares({chance(w, 2), chance(w, 3)}, 2);
    for (int64_t n = 2; n < 4; ++n) {
      const double place = y + (n == 2 ? -52 : 52);
      const std::vector<int64_t> sentence = {kBeamFirst + w, kBeamFirst + n};
      const bool best = beam.at(0).tokens == sentence, second = beam.at(1).tokens == sentence;
      const bool kept = best || second;
      const Rect noun = c.box(around({484, place}, 92, 50), kBeamWords[static_cast<size_t>(n)],
                              {.fill = best   ? Ink::gold
                                       : kept ? Ink::accent
                                              : Ink::card,
                               .stroke = best   ? Ink::gold
                                         : kept ? Ink::soft
                                                : Ink::faint,
                               .strength = best ? 0.4 : 0.16,
                               .thickness = best ? 3 : 1.6,
                               .dashed = !kept,
                               .text = {.ink = kept ? Ink::ink : Ink::soft}});
      c.arrow(
          first.right(), noun.left(),
          {.ink = kept ? (best ? Ink::gold : Ink::accent) : Ink::faint, .thickness = kept ? 3.6 : 2, .dashed = !kept});
      c.text({372, place + (n == 2 ? -2 : 2)}, next[static_cast<size_t>(n - 2)], {.anchor = Anchor::middle});
      c.text({546, place}, sentences[static_cast<size_t>(2 * w + n - 2)],
             {.ink = kept ? Ink::ink : Ink::soft, .anchor = Anchor::start, .bold = best});
      if (greedy_first && greedy.at(1) == kBeamFirst + n)
        c.text({612, place}, "greedy", {.size = 20, .ink = Ink::accent, .anchor = Anchor::start});
      if (best) c.text({612, place}, "best", {.size = 20, .ink = Ink::gold, .anchor = Anchor::start});
    }
  }
  c.text({78, 40}, "step 0", {.size = 20, .ink = Ink::soft});
  c.text({274, 40}, "step 1", {.size = 20, .ink = Ink::soft});
  c.text({484, 40}, "step 2", {.size = 20, .ink = Ink::soft});
  c.text({360, 476}, "two hypotheses are kept in each step; dashed: dropped", {.size = 22});
  return c;
}

}  // namespace heed::course
