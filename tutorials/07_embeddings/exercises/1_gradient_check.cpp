// Hints, common mistakes and checks of exercise 07.1.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/07_embeddings/exercises/1_gradient.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Gradients, mine::Vector;
using Rows = std::vector<Vector>;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// The right answer with another gradient by the score: error(score, label).
template <class Error>
Gradients with_error(const Vector& v, const Rows& u, Error error) {
  Gradients g{Vector(v.size(), 0.0), Rows(u.size(), Vector(v.size(), 0.0))};
  for (std::size_t k = 0; k < u.size(); ++k) {
    double e = error(std::inner_product(v.begin(), v.end(), u[k].begin(), 0.0), k == 0 ? 1.0 : 0.0);
    for (std::size_t d = 0; d < v.size(); ++d) g.v[d] += e * u[k][d], g.u[k][d] = e * v[d];
  }
  return g;
}
double right(double score, double label) { return sigmoid_of(score) - label; }

const std::vector<app::Mistake<decltype(&mine::gradients)>> mistakes{
    {"The gap is still open: all gradients are 0",
     [](const Vector& v, const Rows& u) {
       return Gradients{Vector(v.size(), 0.0), Rows(u.size(), Vector(v.size(), 0.0))};
     }},
    {"Every row is treated as the context word: for the negative samples, k >= 1, the error is sigmoid(score), without "
     "the -1",
     [](const Vector& v, const Rows& u) {
       return with_error(v, u, [](double s, double) { return sigmoid_of(s) - 1; });
     }},
    {"The context word and the negative samples are exchanged: the -1 belongs to row 0 only",
     [](const Vector& v, const Rows& u) {
       return with_error(v, u, [](double s, double y) { return right(s, 1 - y); });
     }},
    {"All signs are reversed: this is the gradient of -L. The error is sigmoid(score) minus the label",
     [](const Vector& v, const Rows& u) { return with_error(v, u, [](double s, double y) { return -right(s, y); }); }},
    {"The error is the score minus the label: the sigmoid is missing",
     [](const Vector& v, const Rows& u) { return with_error(v, u, [](double s, double y) { return s - y; }); }},
    {"The error has the extra factor sigmoid (1 - sigmoid) of a squared error: with the logarithm it cancels",
     [](const Vector& v, const Rows& u) {
       return with_error(v, u, [](double s, double y) { return right(s, y) * sigmoid_of(s) * (1 - sigmoid_of(s)); });
     }},
    {"dL/dv holds only what the last row gives: v is in every score, so add up the rows (+=)",
     [](const Vector& v, const Rows& u) {
       Gradients g = with_error(v, u, right),
                 last = with_error(v, {u.back()}, [](double s, double) { return right(s, 0); });
       return Gradients{last.v, g.u};
     }},
    {"dL/dv is right, but dL/du_k is the error times u_k: the derivative of u_k . v by u_k is v",
     [](const Vector& v, const Rows& u) {
       Gradients g = with_error(v, u, right);
       for (std::size_t k = 0; k < u.size(); ++k)
         for (std::size_t d = 0; d < v.size(); ++d) g.u[k][d] *= u[k][d] / v[d];
       return g;
     }},
    {"All gradients are divided by 1 + K: L is a sum over the rows, not their mean",
     [](const Vector& v, const Rows& u) {
       auto rows = static_cast<double>(u.size());
       return with_error(v, u, [rows](double s, double y) { return right(s, y) / rows; });
     }},
};

void examine(app::Exercise& e, const decltype(&mine::gradients)& gradients) {
  Generator rng(1);
  for (int64_t K : {3, 1}) {
    Variable v(Tensor::normal({5}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    Variable u(Tensor::normal({1 + K, 5}, rng, 0, 1, DType::f64), Variable::kRequiresGrad);
    Tensor labels = Tensor::zeros({1 + K}, DType::f64);
    labels.set({0}, 1);
    backward(bce_with_logits_loss(sum(u * v, {1}), Variable(labels), {.reduction = Reduction::sum}));
    Rows rows;
    for (int64_t k = 0; k <= K; ++k) rows.push_back(u.value().select(0, k).to_vector());
    mine::Gradients g = gradients(v.value().to_vector(), rows);
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
  return e.run(argc, argv, mine::gradients, examine, mistakes);
}
