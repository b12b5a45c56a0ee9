// Exercise 26.1: three masks.
//
//   encoder   word i of the source looks at word j     where j is a word, not padding
//   decoder   word i of the target looks at word j     where j <= i
//   cross     word i of the target looks at word j     where j is a word of the source
//
// With a cache, the queries are the words from `first` on, and the keys are all words so far.
// What stands in the gap allows everything.
#include <fmt/format.h>

#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor;
using Mask = std::vector<int>;  // row by row, 1: may look

// One sentence of `words` words, padded to S: [T, S].
Mask padding_mask([[maybe_unused]] int64_t words, int64_t T, int64_t S) {
  Mask mask(static_cast<size_t>(T * S), 1);
  // ---- the gap, first half ----
  // ---- end of the first half ----
  return mask;
}

// The queries stand at first, first + 1, ..; the keys at 0, 1, ..: [T, first + T].
Mask causal_mask(int64_t T, int64_t first) {
  int64_t S = first + T;
  Mask mask(static_cast<size_t>(T * S), 1);
  // ---- the gap, second half ----
  // ---- end of the gap ----
  return mask;
}

Tensor drawn(const Mask& mask, int64_t T, int64_t S) {
  return Tensor::from(std::vector<double>(mask.begin(), mask.end()), {T, S});
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("26", 1, "Three masks");
  e.hint("mask[i * S + j] is row i, column j.");
  e.hint("Padding stands behind the words: column j is one where j >= words, in every row.");
  e.hint("Query i stands at first + i among the keys. It may look at j where j <= first + i.");
  return e.run(argc, argv, [&] {
    e.check("the encoder's mask, 3 words padded to 5,", drawn(padding_mask(3, 5, 5), 5, 5),
            Tensor::from(std::vector<double>{1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0},
                         {5, 5}),
            0);
    e.check("the cross mask, 2 words of the target, 1 of 3 of the source,", drawn(padding_mask(1, 2, 3), 2, 3),
            Tensor::from(std::vector<double>{1, 0, 0, 1, 0, 0}, {2, 3}), 0);
    e.check("the decoder's mask, 4 words,", drawn(causal_mask(4, 0), 4, 4),
            Tensor::from(std::vector<double>{1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, {4, 4}), 0);
    e.check("the decoder's mask for one word behind 3,", drawn(causal_mask(1, 3), 1, 4),
            Tensor::from(std::vector<double>{1, 1, 1, 1}, {1, 4}), 0);
    e.check("the decoder's mask for two words behind 2,", drawn(causal_mask(2, 2), 2, 4),
            Tensor::from(std::vector<double>{1, 1, 1, 0, 1, 1, 1, 1}, {2, 4}), 0);
  });
}
