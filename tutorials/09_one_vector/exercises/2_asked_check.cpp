// Hints and checks of exercise 09.2.

#include <cmath>

#include "autograd/backward.h"
#include "nn/attention/attention_pooling.h"
#include "tensor/compare.h"
#include "tutorials/09_one_vector/exercises/2_asked.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(4);
  nn::AttentionPooling theirs({.score = {.name = "dot", .query = 3, .key = 3}, .learned = false}, rng);
  Variable q(Tensor::normal({2, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  Variable x(Tensor::normal({2, 5, 3}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
  for (const std::vector<int>& flags :
       {std::vector<int>{1, 1, 1, 0, 0, 1, 1, 1, 1, 0}, {1, 0, 0, 0, 0, 1, 0, 1, 1, 1}}) {
    Tensor words = Tensor::from_bools(flags, {2, 5});
    Variable mine = mine::ask(q, x, words), wanted = squeeze(theirs.ask(unsqueeze(q, 1), x, x, words).context, 1);
    if (!e.check("the vector", mine.value(), wanted.value(), 1e-12)) continue;
    auto by_mine = grad({sum(square(mine))}, {q, x}), by_wanted = grad({sum(square(wanted))}, {q, x});
    e.check("the gradient by the query", by_mine[0].value(), by_wanted[0].value(), 1e-12);
    e.check("the gradient by the words", by_mine[1].value(), by_wanted[1].value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("09", 2, "Pooling that is asked");
  e.hint("masked_fill(x, mask, value) puts the value where the mask is true.");
  e.hint("logical_not(words) is true for padding.");
  e.hint("The weight of padding must be exactly 0: exp(-INFINITY) is.");
  e.insight(
      "The same sentence now gives a different vector for each query: this is attention, with the words as keys and\n"
      "values. The mask comes before the softmax, so that the weights of the words sum to 1.",
      "./heed exercise 09 3");
  return e.run(argc, argv, examine);
}
