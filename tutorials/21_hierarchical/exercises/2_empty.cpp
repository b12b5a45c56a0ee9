// Exercise 21.2: a sentence without words.
//
// Documents of a batch differ in their number of sentences; the short ones are filled up with sentences of no words.
// scores [B, M] of all sentences, counts [B, M] i64: how many words each has. Make weights [B, M] that sum to 1 over
// the sentences that have words, and are exactly 0 for those that have none. What stands in the gap gives the empty
// ones a share.
#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor, heed::Variable;

Variable sentence_weights(const Variable& scores, [[maybe_unused]] const Tensor& counts) {
  // ---- the gap: leave the empty ones out ----
  return softmax(scores, 1);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("21", 2, "A sentence without words");
  e.hint("Lesson 04: what score has the weight exp(score) = 0?");
  e.hint("masked_fill(scores, equal(counts, 0), value) puts the value where there are no words.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    Variable scores(Tensor::from(std::vector<double>{1, 2, 3, 0, 0, 9}, {2, 3}));
    Tensor all = Tensor::from(std::vector<int64_t>{4, 2, 5, 1, 1, 7}, {2, 3});
    Tensor some = Tensor::from(std::vector<int64_t>{4, 2, 0, 0, 1, 0}, {2, 3});
    e.check("weights where every sentence has words", sentence_weights(scores, all).value(), softmax(scores, 1).value(),
            1e-12);
    double a = std::exp(1.0), b = std::exp(2.0);
    e.check("weights where some have none", sentence_weights(scores, some).value(),
            Tensor::from(std::vector<double>{a / (a + b), b / (a + b), 0, 0, 1, 0}, {2, 3}), 1e-12);
  });
}
