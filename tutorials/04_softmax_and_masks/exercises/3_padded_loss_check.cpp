// Hints, common mistakes and checks of exercise 04.3.
#include "tutorials/04_softmax_and_masks/exercises/3_padded_loss.h"

#include <algorithm>

#include "autograd/backward.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// The right answer in parts.
Variable losses_of(const Variable& logits, const Tensor& targets) {  // [B, T]
  const Shape each = targets.shape();
  return -reshape(gather(log_softmax(logits), targets.view({each[0], each[1], 1})), each);
}
Tensor padding_of(const Tensor& targets, int64_t pad) { return equal(targets, static_cast<double>(pad)); }
double number_of(const Tensor& mask) { return sum(mask.to(DType::f64)).item(); }
double words_of(const Tensor& targets, int64_t pad) {
  return static_cast<double>(targets.count()) - number_of(padding_of(targets, pad));
}
Variable kept_sum(const Variable& logits, const Tensor& targets, int64_t pad) {
  return sum(masked_fill(losses_of(logits, targets), padding_of(targets, pad), 0));
}

using V = const Variable&;
using T = const Tensor&;
const std::vector<app::Mistake<decltype(&mine::padded_loss)>> mistakes{
    {"The gap is still open: the mean runs over all positions, padding included",
     [](V x, T y, int64_t) { return mean(losses_of(x, y)); }},
    {"You divide by all B T positions: divide by the number of targets that are not padding",
     [](V x, T y, int64_t pad) { return kept_sum(x, y, pad) / static_cast<double>(y.count()); }},
    {"You divide by the number of padded positions: count the targets that are not padding",
     [](V x, T y, int64_t pad) { return kept_sum(x, y, pad) / std::max(number_of(padding_of(y, pad)), 1.0); }},
    {"You divide by B: the loss is a mean over words, not over sentences",
     [](V x, T y, int64_t pad) { return kept_sum(x, y, pad) / static_cast<double>(y.size(0)); }},
    {"You return the sum: divide it by the number of targets that are not padding",
     [](V x, T y, int64_t pad) { return kept_sum(x, y, pad); }},
    {"A batch of padding alone gives 0/0, which is NaN: divide by at least 1",
     [](V x, T y, int64_t pad) { return kept_sum(x, y, pad) / words_of(y, pad); }},
    {"The number is right, but the losses of the padding are still in the sum: set them to 0 with masked_fill",
     [](V x, T y, int64_t pad) { return sum(losses_of(x, y)) / std::max(words_of(y, pad), 1.0); }},
    {"The mask is inverted: you keep the padding and drop the words. masked_fill replaces where the mask is true",
     [](V x, T y, int64_t pad) {
       const Variable all = losses_of(x, y);
       return (sum(all) - kept_sum(x, y, pad)) / std::max(words_of(y, pad), 1.0);
     }},
    {"You average within each sentence and then over the sentences: that gives words of short sentences more weight. "
     "Add all losses and divide once",
     [](V x, T y, int64_t pad) {
       const Variable kept = masked_fill(losses_of(x, y), padding_of(y, pad), 0);
       Variable total = Variable(Tensor::scalar(0, DType::f64));
       for (int64_t b = 0; b < y.size(0); ++b)
         total = total + sum(slice(kept, 0, b, b + 1)) / std::max(words_of(y.slice(0, b, b + 1), pad), 1.0);
       return total / static_cast<double>(y.size(0));
     }},
    {"You mask the word 0: the padding is the word `pad`, an argument, which need not be 0",
     [](V x, T y, int64_t) { return kept_sum(x, y, 0) / std::max(words_of(y, 0), 1.0); }},
    {"You set the logits of the padding to 0 instead of its losses: equal logits still have the loss log V",
     [](V x, T y, int64_t pad) {
       const Tensor padding = padding_of(y, pad).view({y.size(0), y.size(1), 1}).expand(x.shape());
       return sum(losses_of(masked_fill(x, padding, 0), y)) / std::max(words_of(y, pad), 1.0);
     }},
};

void examine(app::Exercise& e, const decltype(&mine::padded_loss)& padded_loss) {
  const int64_t pad = 1;
  Generator rng(1);
  const Tensor x = Tensor::normal({2, 3, 5}, rng, 0, 2, DType::f64);
  const Tensor y = Tensor::from(std::vector<int64_t>{3, 0, 4, 2, pad, pad}, {2, 3});
  auto loss_and_gradient = [&](const Tensor& logits, const Tensor& targets) {
    Variable leaf(logits, Variable::kRequiresGrad), loss = padded_loss(leaf, targets, pad);
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
  return e.run(argc, argv, mine::padded_loss, examine, mistakes);
}
