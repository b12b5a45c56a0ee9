// Hints and checks of exercise 07.1.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/07_embeddings/exercises/1_gradient.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;
using Rows = std::vector<Vector>;

void examine(app::Exercise& e) {
  Generator rng(1);
  for (int64_t K : {3, 1}) {
    Variable v(Tensor::normal({5}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    Variable u(Tensor::normal({1 + K, 5}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    Tensor labels = Tensor::zeros({1 + K}, DType::f64);
    labels.set({0}, 1);
    backward(bce_with_logits_loss(sum(u * v, {1}), Variable(labels), {.reduction = Reduction::sum}));
    Rows rows;
    for (int64_t k = 0; k <= K; ++k) rows.push_back(u.value().select(0, k).to_vector());
    mine::Gradients g = mine::gradients(v.value().to_vector(), rows);
    e.check(fmt::format("K = {}: dL/dv", K), g.v, v.grad().to_vector(), 1e-12);
    for (int64_t k = 0; k <= K; ++k)
      e.check(fmt::format("K = {}: dL/du_{}", K, k), g.u.at(static_cast<std::size_t>(k)),
              u.grad().select(0, k).to_vector(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("07", 1, "The gradient of one pair");
  e.hint(
      "For each row k compute the score s = u_k . v and its gradient, the error: sigmoid(s) - 1 for k = 0, sigmoid(s) "
      "for k >= 1.");
  e.hint("s = u_k . v, so dL/du_k is the error times v, and each row adds its error times u_k to dL/dv.");
  e.insight(
      "The error is prediction minus label, as in logistic regression: a pair that is already predicted well moves\n"
      "nothing. One pair changes only 2 + K vectors, so a step costs the same for any size of the vocabulary.",
      "./heed exercise 07 2");
  return e.run(argc, argv, examine);
}
