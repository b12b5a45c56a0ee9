// Hints and checks of exercise 25.1.
#include "tutorials/25_cls_and_masked_words/exercises/1_eighty_ten_ten.h"

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::kMask;

void examine(app::Exercise& e) {
  Generator rng(1);
  constexpr int64_t kTimes = 20000;
  double masked = 0, exchanged = 0, kept = 0;
  for (int64_t i = 0; i < kTimes; ++i) {
    int64_t got = mine::in_place_of(/*word=*/20, /*other=*/30, rng.uniform());
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
  return e.run(argc, argv, examine);
}
