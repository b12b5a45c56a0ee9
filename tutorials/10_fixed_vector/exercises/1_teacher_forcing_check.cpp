// Hints and checks of exercise 10.1.
#include <fmt/format.h>

#include "nn/data/batches.h"
#include "nn/text/vocabulary.h"
#include "tutorials/10_fixed_vector/exercises/1_teacher_forcing.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Forced, mine::Row, mine::kPad, mine::kStart, mine::kStop;
static_assert(kPad == text::Vocabulary::pad && kStart == text::Vocabulary::start && kStop == text::Vocabulary::stop);

void examine(app::Exercise& e) {
  std::vector<data::EncodedPair> pairs{{{4, 3}, {7, 5, 4}}, {{4, 3}, {9, 8, 7, 6, 5, 8}}, {{4, 3}, {}}, {{4, 3}, {6}}};
  data::Batch b = data::make_batch(pairs, {0, 1, 2, 3});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto r = static_cast<int64_t>(i);
    Row target = b.target_out.select(0, r).to(DType::f64).to_vector(), mask;
    for (double id : target) mask.push_back(id != kPad);
    Forced f = mine::force(pairs[i].target, target.size());
    e.check(fmt::format("input of sequence {}", i + 1), f.input, b.target_in.select(0, r).to(DType::f64).to_vector(),
            0);
    e.check(fmt::format("target of sequence {}", i + 1), f.target, target, 0);
    e.check(fmt::format("mask of sequence {}", i + 1), f.mask, mask, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 1, "Teacher forcing");
  e.hint("The input at step t is the target of step t - 1; at the first step it is kStart.");
  e.hint("The target ends with kStop, which counts in the loss: the decoder must learn when to stop.");
  e.hint("The mask is 1 at the first symbols.size() + 1 places.");
  e.insight(
      "Input and target are the same sequence, shifted by one place: each step predicts the symbol that follows.\n"
      "All steps can be trained at once, because no step waits for a prediction. Transformers use this, too.",
      "./heed exercise 10 2");
  return e.run(argc, argv, examine);
}
