// Hints, common mistakes and checks of exercise 25.1.
#include "tutorials/25_cls_and_masked_words/exercises/1_eighty_ten_ten.h"

#include <vector>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::kMask;

const std::vector<app::Mistake<decltype(&mine::in_place_of)>> mistakes{
    {"The gap is still open: every word becomes [MASK]", [](int64_t, int64_t, double) { return kMask; }},
    {"Every word stays: below 0.8 return kMask", [](int64_t word, int64_t, double) { return word; }},
    {"No word stays: of the last 20 %, half is the word itself",
     [](int64_t, int64_t other, double chance) { return chance < 0.8 ? kMask : other; }},
    {"No word is exchanged for another: of the last 20 %, half is the other word (a second comparison with 0.1 is "
     "never "
     "true: it must be with 0.8 + 0.1)",
     [](int64_t word, int64_t, double chance) { return chance < 0.8 ? kMask : word; }},
    {"Your shares are 10 % of [MASK] and 80 % of another: exchange the first two cases",
     [](int64_t word, int64_t other, double chance) { return chance < 0.1   ? kMask
                                                             : chance < 0.9 ? other
                                                                            : word; }},
    {"Your shares are 20 % of [MASK] and 80 % of the rest: the comparison is inverted",
     [](int64_t word, int64_t other, double chance) { return chance >= 0.8   ? kMask
                                                             : chance >= 0.1 ? other
                                                                             : word; }},
    {"Your shares are 80 %, 15 % and 5 %: the second limit is 0.9",
     [](int64_t word, int64_t other, double chance) { return chance < 0.8    ? kMask
                                                             : chance < 0.95 ? other
                                                                             : word; }},
};

void examine(app::Exercise& e, const decltype(&mine::in_place_of)& in_place_of) {
  Generator rng(1);
  constexpr int64_t kTimes = 20000;
  double masked = 0, exchanged = 0, kept = 0;
  for (int64_t i = 0; i < kTimes; ++i) {
    int64_t got = in_place_of(/*word=*/20, /*other=*/30, rng.uniform());
    masked += got == kMask, exchanged += got == 30, kept += got == 20;
  }
  e.check("the share of [MASK]", masked / kTimes, 0.8, 0.01);
  e.check("the share of another word", exchanged / kTimes, 0.1, 0.01);
  e.check("the share of the word itself", kept / kTimes, 0.1, 0.01);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 1, "80, 10, 10");
  e.hint("Three cases, two comparisons of `chance`.");
  e.hint("Below 0.8: kMask. Below 0.8 + 0.1: other. Else: word.");
  e.insight(
      "Because a word that is there may be wrong, the encoder must form an opinion about every word, not only about\n"
      "[MASK], which it never meets again when it is used.",
      "./heed exercise 25 2");
  return e.run(argc, argv, mine::in_place_of, examine, mistakes);
}
