// Exercise 10.1: teacher forcing.
//
// From the symbols that a decoder is to write, make what it reads, what it is to write, and where that counts. All
// rows of a batch are equally long, T = the longest + 1:
//
//   symbols  7 5 4        target  7 5 4 </s> <pad> <pad>       input  <s> 7 5 4 <pad> <pad>
//                         mask    1 1 1 1    0     0
#include <fmt/format.h>

#include "nn/data/batches.h"
#include "nn/text/vocabulary.h"
#include "tutorials/common/exercise.h"

namespace {

using Row = std::vector<double>;
constexpr double kPad = heed::text::Vocabulary::pad, kStart = heed::text::Vocabulary::start,
                 kStop = heed::text::Vocabulary::stop;

struct Forced {
  Row input, target, mask;  // [T] each
};

Forced force(const std::vector<int64_t>& symbols, size_t T) {
  Forced f{Row(T, kPad), Row(T, kPad), Row(T, 0)};
  // ---- the gap, filled: one place late, an end mark, and a mask ----
  f.input[0] = kStart;
  for (size_t t = 0; t < symbols.size(); ++t) f.target[t] = f.input[t + 1] = static_cast<double>(symbols[t]);
  f.target[symbols.size()] = kStop;
  std::fill_n(f.mask.begin(), symbols.size() + 1, 1.0);
  // ---- end of the gap ----
  return f;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 1, "Teacher forcing");
  e.hint("The input at step t is the target of step t - 1; at the first step it is kStart.");
  e.hint("The target ends with kStop, and kStop counts: the decoder must learn when to stop.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    std::vector<data::EncodedPair> pairs{{{4, 3}, {7, 5, 4}}, {{4, 3}, {9, 8, 7, 6, 5}}, {{4, 3}, {}}};
    data::Batch b = data::make_batch(pairs, {0, 1, 2});
    for (size_t i = 0; i < pairs.size(); ++i) {
      auto r = static_cast<int64_t>(i);
      Row target = b.target_out.select(0, r).to(DType::f64).to_vector(), mask;
      for (double id : target) mask.push_back(id != kPad);
      Forced f = force(pairs[i].target, target.size());
      e.check(fmt::format("input of sequence {},", i + 1), f.input, b.target_in.select(0, r).to(DType::f64).to_vector(),
              0);
      e.check(fmt::format("target of sequence {},", i + 1), f.target, target, 0);
      e.check(fmt::format("mask of sequence {},", i + 1), f.mask, mask, 0);
    }
  });
}
