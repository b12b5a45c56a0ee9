// Exercise 07.1: the gradient of one pair, by hand.
//
//   L = - log sigmoid(u_0 . v)  -  sum over k = 1 .. K of log sigmoid(- u_k . v)        v [D], u [1 + K, D]
//
// u_0 is the word that stood beside, u_1 .. u_K are the words drawn by chance. Derive dL/dv and dL/du on paper first.
// A hint that makes it short: the derivative of -log sigmoid(x) is sigmoid(x) - 1, that of -log sigmoid(-x) is
// sigmoid(x). This is all that the original program computes: it has no autograd.
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

using namespace heed;

using Vector = std::vector<double>;

struct Gradients {
  Vector v;               // dL/dv [D]
  std::vector<Vector> u;  // dL/du [1 + K][D]
};

[[maybe_unused]] double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

Gradients gradients(const Vector& v, const std::vector<Vector>& u) {
  Gradients g{Vector(v.size(), 0.0), std::vector<Vector>(u.size(), Vector(v.size(), 0.0))};
  // --- the gap: for each row of u its score, what the score should change by, and what that means for v and u ---
  // --- end of the gap ---
  return g;
}

int main(int argc, char** argv) {
  app::Exercise e("07", 1, "The gradient of one pair");
  e.hint(
      "For each row k: the score s = u_k . v, and its gradient e = sigmoid(s) - 1 for k = 0, sigmoid(s) for the "
      "others.");
  e.hint("s = u_k . v, so dL/dv gets e u_k from each row, and dL/du_k is e v.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    constexpr int64_t D = 5, K = 3;
    Variable v(Tensor::uniform({D}, rng, -1, 1, DType::f64), Variable::kRequiresGrad);
    Variable u(Tensor::uniform({1 + K, D}, rng, -1, 1, DType::f64), Variable::kRequiresGrad);
    Variable scores = sum(u * v, {1});  // [1 + K]
    Tensor labels = Tensor::zeros({1 + K}, DType::f64);
    labels.set({0}, 1);
    backward(bce_with_logits_loss(scores, Variable(labels), {.reduction = Reduction::sum}));
    std::vector<Vector> rows;
    for (int64_t k = 0; k <= K; ++k) rows.push_back(u.value().select(0, k).to_vector());
    Gradients g = gradients(v.value().to_vector(), rows);
    e.check("dL/dv", g.v, v.grad().to_vector(), 1e-12);
    for (int64_t k = 0; k <= K; ++k)
      e.check("dL/du of row " + std::to_string(k), g.u.at(static_cast<size_t>(k)), u.grad().select(0, k).to_vector(),
              1e-12);
  });
}
