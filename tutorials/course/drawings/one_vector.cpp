// The encoder-decoder of 2014: whatever the length of the sentence, all of it goes through one vector.
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/drawings/sentence.h"

namespace heed::course {

Canvas draw_one_vector() {
  const Excerpt words = agreement();
  Canvas c(500);
  std::vector<Rect> encoder, decoder;
  const auto sources = static_cast<int>(words.source.size()), targets = static_cast<int>(words.target.size());
  for (int s = 0; s < sources; ++s) {
    const double x = 78 + 564.0 * s / (sources - 1);
    const std::string& word = words.source[static_cast<size_t>(s)];
    const std::string index = s < 2 ? std::to_string(s + 1) : s + 1 == sources ? "S" : "{S−1}";
    c.text({x, 34}, word, {.size = 22});
    encoder.push_back(c.box(around({x, 118}, 84, 54), word == "…" ? "…" : "h_" + index, {.fill = Ink::accent}));
    c.arrow({x, 48}, encoder.back().top());
    if (s > 0) c.arrow(encoder[static_cast<size_t>(s - 1)].right(), encoder.back().left());
  }
  const Rect vector = c.grid({360 - 4 * 30, 232}, 1, 8, 30, Ink::gold, 0.6);
  c.text({360, 206}, "one vector c, however long the sentence", {.size = 22, .ink = Ink::gold, .math = true});
  for (int t = 0; t < targets; ++t) {
    const double x = 66 + 588.0 * t / (targets - 1);
    const std::string& word = words.target[static_cast<size_t>(t)];
    const std::string index = t < 2              ? std::to_string(t + 1)
                              : t + 1 == targets ? "T"
                              : t + 2 == targets ? "{T−1}"
                                                 : "{T−2}";
    decoder.push_back(c.box(around({x, 376}, 80, 54), word == "…" ? "…" : "s_" + index, {.fill = Ink::good}));
    c.text({x, 464}, word, {.size = 22});
    c.arrow(decoder.back().bottom(), {x, 448});
    if (t > 0) c.arrow(decoder[static_cast<size_t>(t - 1)].right(), decoder.back().left());
  }
  const Rect &last = encoder.back(), &first = decoder.front();
  c.route({last.bottom(), {last.bottom().x, vector.right().y}, vector.right()}, {.ink = Ink::gold, .thickness = 4});
  c.route({vector.left(), {first.top().x, vector.left().y}, first.top()}, {.ink = Ink::gold, .thickness = 4});
  c.text({360, 300}, "the decoder gets nothing else from the source", {.size = 20, .ink = Ink::soft});
  c.legend({"h_s: encoder state", "s_t: decoder state"});
  return c;
}

}  // namespace heed::course
