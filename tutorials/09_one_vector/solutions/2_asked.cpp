// Exercise 09.2: pooling that is asked.
//
//   e_s = q . x_s where s is a word, -inf where it is padding      w = softmax(e)      y = sum_s w_s x_s
//
// q [B, D], x [B, S, D], words bool [B, S] -> y [B, D]. Without the mask padding takes part: even
// a vector of zeros has the score 0, and exp(0) is 1. The checks compare values and gradients with
// nn::AttentionPooling.
#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/pooling/attention_pooling.h"
#include "tensor/compare.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Variable ask(const Variable& q, const Variable& x, const Tensor& words) {
  Variable scores = squeeze(matmul(x, unsqueeze(q, 2)), 2);  // [B, S]
  // ---- the gap, filled ----
  scores = masked_fill(scores, logical_not(words), -INFINITY);
  Variable weights = softmax(scores);
  // ---- end of the gap ----
  return squeeze(matmul(unsqueeze(weights, 1), x), 1);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 2, "Pooling that is asked");
  e.hint("masked_fill(x, mask, value) puts the value where the mask is true.");
  e.hint("The weight of padding must be 0 exactly: exp(-INFINITY) is.");
  return e.run(argc, argv, [&] {
    Generator rng(4);
    nn::AttentionPooling theirs({.score = {.name = "dot", .query = 3, .key = 3}, .learned = false}, rng);
    Variable q(Tensor::normal({2, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    Variable x(Tensor::normal({2, 5, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    for (const std::vector<int>& flags :
         {std::vector<int>{1, 1, 1, 0, 0, 1, 1, 1, 1, 0}, {1, 0, 0, 0, 0, 0, 0, 1, 1, 1}}) {
      Tensor words = Tensor::from_bools(flags, {2, 5});
      Variable mine = ask(q, x, words), wanted = squeeze(theirs.ask(unsqueeze(q, 1), x, x, words).context, 1);
      if (!e.check("the vector", mine.value(), wanted.value(), 1e-12)) continue;
      auto by_mine = grad({sum(square(mine))}, {q, x}), by_wanted = grad({sum(square(wanted))}, {q, x});
      e.check("the gradient by the question", by_mine[0].value(), by_wanted[0].value(), 1e-12);
      e.check("the gradient by the words", by_mine[1].value(), by_wanted[1].value(), 1e-12);
    }
  });
}
