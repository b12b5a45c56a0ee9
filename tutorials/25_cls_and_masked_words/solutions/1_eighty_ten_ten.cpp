// Exercise 25.1: what stands in the place of a word that is asked for.
//
// `chance` is drawn evenly from [0, 1). In 80 of 100 cases the word gives way to [MASK], in 10 to `other`, a word drawn
// anew, and in 10 it stays. What stands in the gap hides all of them: then the reader never sees [MASK] again when it
// is used, and has learned nothing about words that are there.
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

constexpr int64_t kMask = 6;

int64_t in_place_of(int64_t word, int64_t other, double chance) {
  // ---- the gap, filled ----
  if (chance < 0.8) return kMask;
  return chance < 0.9 ? other : word;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 1, "What stands in the place of a word that is asked for");
  e.hint("Three cases, two comparisons of `chance`.");
  e.hint("Below 0.8; below 0.8 + 0.1; else.");
  return e.run(argc, argv, [&] {
    heed::Generator rng(1);
    constexpr int64_t kTimes = 20000;
    double hidden = 0, exchanged = 0, kept = 0;
    for (int64_t i = 0; i < kTimes; ++i) {
      int64_t got = in_place_of(/*word=*/20, /*other=*/30, rng.uniform());
      hidden += got == kMask, exchanged += got == 30, kept += got == 20;
    }
    e.check("the share of [MASK]", hidden / kTimes, 0.8, 0.01);
    e.check("the share of another word", exchanged / kTimes, 0.1, 0.01);
    e.check("the share of the word itself", kept / kTimes, 0.1, 0.01);
  });
}
