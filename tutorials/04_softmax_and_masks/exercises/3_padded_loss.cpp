// Exercise 04.3: the loss of a batch whose sentences differ in length.
//
//   logits [B, T, V]    targets [B, T] i64, filled up with `pad` behind the end of each sentence
//   L = sum over the targets that are not `pad` of -log p(target), divided by their NUMBER
//
// B sentences, T places, V words. The mean over all B T places is wrong: it depends on how much padding there happens
// to be, and its gradient teaches the model to write padding. Three things must hold: padding changes nothing, logits
// at padded places get the gradient 0, and a batch of nothing but padding has the loss 0 (not 0/0).
//
// Useful, from autograd/ops.h and tensor/: log_softmax(x), reshape(x, shape), gather(x, index) (the element of the last
// axis that the index names; the index has as many axes as x), masked_fill(x, mask, value), sum(x); equal(tensor,
// value) gives a bool mask. `pad` is a word of the vocabulary, so it may be gathered. Do without cross_entropy.
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

using namespace heed;

Variable padded_loss(const Variable& logits, const Tensor& targets, [[maybe_unused]] int64_t pad) {
  Shape each = targets.shape();                        // [B, T]
  Tensor index = targets.view({each[0], each[1], 1});  // [B, T, 1]
  Variable losses = -reshape(gather(log_softmax(logits), index), each);
  // --- the gap: the mean over all places, padding included ---
  return mean(losses);
  // --- end of the gap ---
}

int main(int argc, char** argv) {
  app::Exercise e("04", 3, "The loss of a padded batch");
  e.hint("masked_fill(losses, equal(targets, pad), 0) takes the padded places out of the sum.");
  e.hint("Divide by the number of targets that are not `pad`: sum of a mask converted with .to(DType::f64).");
  e.hint("With no word at all the sum is 0; divide it by 1.");
  return e.run(argc, argv, [&] {
    const int64_t pad = 0;
    Generator rng(1);
    Tensor x = Tensor::normal({2, 3, 5}, rng, 0, 2, DType::f64);
    Tensor y = Tensor::from(std::vector<int64_t>{3, 1, 4, 2, pad, pad}, {2, 3});
    auto loss_and_gradient = [&](const Tensor& logits, const Tensor& targets) {
      Variable leaf(logits, Variable::kRequiresGrad), loss = padded_loss(leaf, targets, pad);
      if (loss.requires_grad()) backward(loss);
      return std::pair(loss.item(), leaf.grad());
    };
    Variable leaf(x, Variable::kRequiresGrad);
    Variable right = cross_entropy(leaf, y, {.ignore_index = pad});
    backward(right);
    auto [loss, gradient] = loss_and_gradient(x, y);
    e.check("the loss", loss, right.item(), 1e-12);
    e.check("the gradient", gradient, leaf.grad(), 1e-12);

    Tensor wider = Tensor::normal({2, 7, 5}, rng, 0, 2, DType::f64), more = Tensor::full({2, 7}, pad, DType::i64);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 3; ++t) {
        more.set({b, t}, y.at({b, t}));
        for (int64_t v = 0; v < 5; ++v) wider.set({b, t, v}, x.at({b, t, v}));
      }
    e.check("the loss with four more places of padding", loss_and_gradient(wider, more).first, right.item(), 1e-12);
    auto [none, flat] = loss_and_gradient(x, Tensor::full({2, 3}, pad, DType::i64));
    e.check("the loss of padding only", none, 0, 0);
    if (flat.defined()) e.check("its gradient", flat, Tensor::zeros({2, 3, 5}, DType::f64), 0);
  });
}
