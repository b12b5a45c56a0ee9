// Exercise 25.2: how a batch pushes.
//
//   s_ij = cos(a_i, b_j) / tau        p_ij = softmax_j(s_i.)        loss = -1/B sum_i log p_ii
//
// Derive d loss / d s_ij from p [B, B]. Its signs say what the training does: a pair is drawn together, and every other
// sentence of the batch is pushed away, the more, the nearer it was. What stands in the gap pushes all away.
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor, heed::Variable;

Tensor gradient(const Tensor& p) {  // [B, B] -> [B, B]
  int64_t B = p.size(0);
  Tensor ds = p.clone();
  // ---- the gap, filled ----
  for (int64_t i = 0; i < B; ++i) ds.data<double>()[i * B + i] -= 1;
  for (int64_t i = 0; i < ds.count(); ++i) ds.data<double>()[i] /= static_cast<double>(B);
  // ---- end of the gap ----
  return ds;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("25", 2, "How a batch pushes");
  e.hint("One row is a cross-entropy whose right class is i. Lesson 04: its gradient is p - y.");
  e.hint("y is 1 on the diagonal; the mean over the batch divides by B.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (int64_t B : {1, 2, 5}) {
      Generator rng(static_cast<uint64_t>(B));
      Variable s(Tensor::normal({B, B}, rng, 0, 2, DType::f64), Variable::kRequiresGrad);
      std::vector<int64_t> own;
      for (int64_t i = 0; i < B; ++i) own.push_back(i);
      backward(cross_entropy(s, Tensor::from(own, {B})));
      e.check("the gradient of the scores", gradient(softmax(s.detach(), 1).value()), s.grad(), 1e-12);
    }
  });
}
