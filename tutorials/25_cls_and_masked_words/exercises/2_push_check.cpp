// Hints, common mistakes and checks of exercise 25.2.
#include "tutorials/25_cls_and_masked_words/exercises/2_push.h"

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Answer = std::function<Tensor(const Tensor&)>;

// Element i, j of the gradient as a function of p_ij, of whether i = j, and of B.
Answer each(double (*element)(double p, double y, double B)) {
  return [element](const Tensor& p) {
    int64_t B = p.size(0);
    Tensor ds = Tensor::zeros({B, B}, DType::f64);
    for (int64_t i = 0; i < B; ++i)
      for (int64_t j = 0; j < B; ++j) ds.set({i, j}, element(p.at({i, j}), i == j ? 1 : 0, static_cast<double>(B)));
    return ds;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"All signs are positive: every sentence is pushed away. Subtract 1 on the diagonal, before dividing by B",
     each([](double p, double, double B) { return p / B; })},
    {"The division by B is missing: the loss is a mean over the batch",
     each([](double p, double y, double) { return p - y; })},
    {"You divided p by B and not the 1 of the diagonal: the gradient is (p - y) / B",
     each([](double p, double y, double B) { return p / B - y; })},
    {"Your gradient has the wrong sign: it is p - y, and a step goes against it",
     each([](double p, double y, double B) { return (y - p) / B; })},
    {"You subtracted 1 from every element: y is 1 on the diagonal only",
     each([](double p, double, double B) { return (p - 1) / B; })},
    {"You divided by the number of elements, B squared: the loss is a mean over the B rows",
     each([](double p, double y, double B) { return (p - y) / (B * B); })},
    {"This is the derivative by p, -1 / p on the diagonal: go on to s, through the softmax",
     each([](double p, double y, double B) { return -y / p / B; })},
    {"Only the diagonal is right: the other sentences of the batch have the gradient p_ij / B",
     each([](double p, double y, double B) { return y * (p - 1) / B; })},
};

void examine(app::Exercise& e, const Answer& gradient) {
  for (int64_t B : {1, 2, 5}) {
    Generator rng(static_cast<uint64_t>(B));
    Variable s(Tensor::normal({B, B}, rng, 0, 2, DType::f64), Variable::kRequiresGrad);
    std::vector<int64_t> own;
    for (int64_t i = 0; i < B; ++i) own.push_back(i);
    backward(cross_entropy(s, Tensor::from(own, {B})));
    e.check(fmt::format("the gradient by the scores of a batch of {}, element ", B),
            gradient(softmax(s.detach(), 1).value()), s.grad(), 1e-12);
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
  return e.run(argc, argv, Answer(mine::gradient), examine, mistakes);
}
