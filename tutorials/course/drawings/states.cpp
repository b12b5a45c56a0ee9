// A state that is written three times, by each of five rules: what is left of the first value of a key that is written
// again.
//
// The states are computed here: the keys of Ann and Bob are at right angles, so each has a row of its own.
#include <fmt/format.h>

#include <array>

#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

Canvas draw_states() {
  using Table = std::array<std::array<double, 2>, 2>;  // rows Ann, Bob; columns Rome, Oslo
  struct Wrote {
    std::size_t who, where;
    const char* words;
  };
  constexpr std::array<Wrote, 3> kStory{{{0, 0, "Ann: Rome"}, {1, 1, "Bob: Oslo"}, {0, 1, "Ann: Oslo"}}};
  struct Kept {
    const char* name;
    double keep, last, correct;  // the factor of the old state, that of the last word, and b; 0: the value is added
  };
  constexpr std::array<Kept, 5> kRules{
      {{"sum", 1, 1, 0}, {"decay", 0.5, 0.5, 0}, {"gate", 1, 0, 0}, {"delta rule", 1, 1, 1}, {"reflection", 1, 1, 2}}};
  constexpr double kSize = 54, kLeft = 130, kAcross = 117, kDown = 132, kTop = 74;
  Canvas c(kTop + 3 * kDown + 76);
  for (std::size_t w = 0; w < kStory.size(); ++w)
    c.text({14, kTop + kDown * static_cast<double>(w) + kSize}, kStory[w].words, {.size = 20, .anchor = Anchor::start});
  for (std::size_t r = 0; r < kRules.size(); ++r) {
    const Kept& rule = kRules[r];
    const double left = kLeft + kAcross * static_cast<double>(r);
    c.text({left + kSize, 26}, rule.name, {.size = 20, .bold = true});
    c.text({left + kSize / 2 - 2, 54}, "Rome", {.size = 20, .ink = Ink::soft});
    c.text({left + 1.5 * kSize + 2, 54}, "Oslo", {.size = 20, .ink = Ink::soft});
    Table S{};
    for (std::size_t w = 0; w < kStory.size(); ++w) {
      for (auto& row : S)
        for (double& x : row) x *= w + 1 == kStory.size() ? rule.last : rule.keep;
      for (std::size_t j = 0; j < 2; ++j) {
        double& cell = S[kStory[w].who][j];
        const double value = j == kStory[w].where ? 1 : 0;
        cell += rule.correct > 0 ? rule.correct * (value - cell) : value;
      }
      c.grid({left, kTop + kDown * static_cast<double>(w)}, 2, 2, kSize, [&](int i, int j) {
        const double x =
            S[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];  // at most 2: its number must be read
        return c.signed_cell(x / 2.2, x > 0 && x < 1 ? fmt::format("1/{:g}", 1 / x) : fmt::format("{:g}", x));
      });
    }
  }
  const double below = kTop + 3 * kDown + 12;
  c.text({14, below}, "Each square: rows Ann and Bob, after the word on the left.",
         {.size = 20, .anchor = Anchor::start});
  c.sign_legend({14, below + 30}, {194, below + 30});
  return c;
}

}  // namespace heed::course
