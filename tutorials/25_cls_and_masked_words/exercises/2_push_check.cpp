// Hints and checks of exercise 25.2.
#include "tutorials/25_cls_and_masked_words/exercises/2_push.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  for (int64_t B : {1, 2, 5}) {
    Generator rng(static_cast<uint64_t>(B));
    Variable s(Tensor::normal({B, B}, rng, 0, 2, DType::f64), Variable::kRequiresGrad);
    std::vector<int64_t> own;
    for (int64_t i = 0; i < B; ++i) own.push_back(i);
    backward(cross_entropy(s, Tensor::from(own, {B})));
    e.check(fmt::format("the gradient by the scores of a batch of {}, element ", B),
            mine::gradient(softmax(s.detach(), 1).value()), s.grad(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 2, "How a batch pushes");
  e.hint("One row is a cross-entropy whose right class is i. Lesson 04: its gradient is p - y.");
  e.hint("y is 1 on the diagonal and 0 elsewhere; the mean over the batch divides by B.");
  e.insight(
      "Each row of the gradient sums to 0: the pull on the right sentence equals the push on all others, and the "
      "nearest\n"
      "wrong sentence gets most of it. With B = 1 there is nothing to push, and nothing is learnt.",
      "./heed exercise 25 3");
  return e.run(argc, argv, examine);
}
