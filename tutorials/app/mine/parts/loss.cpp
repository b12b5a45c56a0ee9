// Exercise 04.3 in the translator: the loss of a padded batch, which training minimises. It is differentiated by the
// engine, because the exercise is written with differentiable operations.
#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "tutorials/04_softmax_and_masks/exercises/3_padded_loss.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable loss_mine(const Variable& logits, const Tensor& targets) {
  return mine::padded_loss(logits, targets, text::Vocabulary::pad);
}

void check(Comparison& c) {
  Generator rng(1);
  Tensor logits = Tensor::normal({2, 4, 5}, rng, 0, 1, DType::f64);
  Pieces library = library_pieces();
  const std::vector<std::pair<std::string, std::vector<int64_t>>> batches{
      {"sentences of 4 and 2 words", {4, 1, 2, 3, 2, 3, 0, 0}}, {"no padding", {4, 1, 2, 3, 2, 3, 1, 3}}};
  for (const auto& [name, words] : batches) {
    Tensor targets = Tensor::from(words, {2, 4});
    c.functions(
        "the loss of " + name, [&](const auto& in) { return loss_mine(in[0], targets); },
        [&](const auto& in) { return library.loss(in[0], targets); }, {logits});
  }
  c.value("the loss of padding alone", loss_mine(logits, Tensor::zeros({2, 4}, DType::i64)).value(),
          Tensor::zeros({}, DType::f64));
}

void use(Pieces& pieces) { pieces.loss = loss_mine; }

const Registered part({.name = "loss", .exercise = "04.3", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
