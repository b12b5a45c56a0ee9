// Hints, common mistakes and checks of exercise 10.1.
#include <fmt/format.h>

#include <algorithm>

#include "nn/data/batches.h"
#include "nn/text/vocabulary.h"
#include "tutorials/10_fixed_vector/exercises/1_teacher_forcing.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Forced, mine::Row, mine::kPad, mine::kStart, mine::kStop;
using Symbols = const std::vector<int64_t>&;
static_assert(kPad == text::Vocabulary::pad && kStart == text::Vocabulary::start && kStop == text::Vocabulary::stop);

Forced right(Symbols symbols, std::size_t T) {
  Forced f{Row(T, kPad), Row(T, kPad), Row(T, 0)};
  f.input[0] = kStart;
  for (std::size_t t = 0; t < symbols.size(); ++t) f.target[t] = f.input[t + 1] = static_cast<double>(symbols[t]);
  f.target[symbols.size()] = kStop;
  std::fill_n(f.mask.begin(), symbols.size() + 1, 1.0);
  return f;
}
// The symbols from place `first` on, then padding.
Row row(Symbols symbols, std::size_t first, std::size_t T) {
  Row r(T, kPad);
  for (std::size_t t = first; t < symbols.size(); ++t) r[t - first] = static_cast<double>(symbols[t]);
  return r;
}

const std::vector<app::Mistake<decltype(&mine::force)>> mistakes{
    {"The gap is still open: the input at each step is the symbol to predict, and there is no </s>",
     [](Symbols s, std::size_t T) {
       Row same = row(s, 0, T), mask(T, 0);
       std::fill_n(mask.begin(), s.size(), 1.0);
       return Forced{same, same, mask};
     }},
    {"The input is not shifted: at step t the decoder receives the symbol that it has to predict. Begin with <s>",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.input = row(s, 0, T);
       return f;
     }},
    {"The input is shifted the wrong way, so that the decoder sees the future: begin with <s>, then the symbols",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.input = row(s, 1, T);
       return f;
     }},
    {"The input is shifted but begins with <pad>: its first symbol is <s>",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.input[0] = kPad;
       return f;
     }},
    {"The input contains </s>: the decoder stops when it has predicted </s>, so it never reads it",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       if (s.size() + 1 < T) f.input[s.size() + 1] = kStop;
       return f;
     }},
    {"The target has no </s>, so that the decoder never learns to stop",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.target[s.size()] = kPad;
       return f;
     }},
    {"</s> is at the end of the row: it follows the last symbol, and padding comes after it",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.target[s.size()] = kPad;
       f.target[T - 1] = kStop;
       return f;
     }},
    {"The target begins with <s>: the decoder has to predict the first symbol from <s>",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.target = f.input;
       return f;
     }},
    {"The mask leaves </s> out, so that the decoder never learns to stop: </s> counts in the loss",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.mask[s.size()] = 0;
       return f;
     }},
    {"The mask is 1 for padding, too: <pad> does not count in the loss",
     [](Symbols s, std::size_t T) {
       Forced f = right(s, T);
       f.mask = Row(T, 1);
       return f;
     }},
};

void examine(app::Exercise& e, const decltype(&mine::force)& force) {
  std::vector<data::EncodedPair> pairs{{{4, 3}, {7, 5, 4}}, {{4, 3}, {9, 8, 7, 6, 5, 8}}, {{4, 3}, {}}, {{4, 3}, {6}}};
  data::Batch b = data::make_batch(pairs, {0, 1, 2, 3});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto r = static_cast<int64_t>(i);
    Row target = b.target_out.select(0, r).to(DType::f64).to_vector(), mask;
    for (double id : target) mask.push_back(id != kPad);
    Forced f = force(pairs[i].target, target.size());
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
  return e.run(argc, argv, mine::force, examine, mistakes);
}
