// Hints and checks of exercise 04.3.
#include "tutorials/04_softmax_and_masks/exercises/3_padded_loss.h"

#include "autograd/backward.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  const int64_t pad = 1;
  Generator rng(1);
  const Tensor x = Tensor::normal({2, 3, 5}, rng, 0, 2, DType::f64);
  const Tensor y = Tensor::from(std::vector<int64_t>{3, 0, 4, 2, pad, pad}, {2, 3});
  auto loss_and_gradient = [&](const Tensor& logits, const Tensor& targets) {
    Variable leaf(logits, Variable::kRequiresGrad), loss = mine::padded_loss(leaf, targets, pad);
    if (loss.requires_grad()) backward(loss);
    return std::pair(loss.item(), leaf.grad());
  };
  Variable leaf(x, Variable::kRequiresGrad);
  const Variable right = cross_entropy(leaf, y, {.ignore_index = pad});
  backward(right);
  const auto [loss, gradient] = loss_and_gradient(x, y);
  e.check("the loss", loss, right.item(), 1e-12);
  e.check("the gradient", gradient, leaf.grad(), 1e-12);

  Tensor wider = Tensor::normal({2, 7, 5}, rng, 0, 2, DType::f64), more = Tensor::full({2, 7}, pad, DType::i64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t) {
      more.set({b, t}, y.at({b, t}));
      for (int64_t v = 0; v < 5; ++v) wider.set({b, t, v}, x.at({b, t, v}));
    }
  e.check("the loss with four more positions of padding", loss_and_gradient(wider, more).first, right.item(), 1e-12);
  const auto [none, flat] = loss_and_gradient(x, Tensor::full({2, 3}, pad, DType::i64));
  e.check("the loss of padding alone", none, 0, 0);
  if (flat.defined()) e.check("its gradient", flat, Tensor::zeros({2, 3, 5}, DType::f64), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("04", 3, "The loss of a padded batch");
  e.hint("masked_fill(losses, equal(targets, pad), 0) takes the padded positions out of the sum.");
  e.hint("Divide by the number of targets that are not `pad`: sum a mask that was converted with .to(DType::f64).");
  e.hint("With no word at all the sum is 0: divide it by 1.");
  e.insight(
      "A padded position must not change any result, and each reduction over positions is a place to forget that.\n"
      "A test is cheap: add padding, and nothing may change. It works for attention too.",
      "./heed run 05");
  return e.run(argc, argv, examine);
}
