// Hints and checks of exercise 29.2.
#include "tutorials/29_explain/exercises/2_gradient.h"

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;

// The same by automatic differentiation.
Vector by_backward(const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant) {
  auto T = std::ssize(x), D = std::ssize(q);
  Vector flat;
  for (const Vector& v : x) flat.insert(flat.end(), v.begin(), v.end());
  Variable in(Tensor::from(flat, {T, D}), Variable::kRequiresGrad);
  Variable w = softmax(matmul(in, Variable(Tensor::from(q, {D}))));
  if (constant) w = w.detach();
  Variable y = sum(w * matmul(in, Variable(Tensor::from(u, {D}))));
  Tensor g = heed::grad({y}, {in})[0].value();
  return abs(sum(mul(g, in.value()), Dims{1}, false)).to_vector();
}

void examine(app::Exercise& e) {
  Generator rng(11);
  auto drawn = [&](int64_t n) { return Tensor::normal({n}, rng, 0, 1, DType::f64).to_vector(); };
  for (int64_t T : {3, 6}) {
    constexpr int64_t D = 4;
    std::vector<Vector> x;
    for (int64_t i = 0; i < T; ++i) x.push_back(drawn(D));
    Vector q = drawn(D), u = drawn(D);
    e.check("weights held constant", mine::importance(x, q, u, true), by_backward(x, q, u, true), 1e-9);
    e.check("through the weights, too", mine::importance(x, q, u, false), by_backward(x, q, u, false), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("29", 2, "The gradient of attention pooling");
  e.hint("With constant weights, y = sum_i w_i u . x_i, so dy/dx_i = w_i u.");
  e.hint("dy/ds_i = sum_j z_j w_j ([i = j] - w_i). One of the sums is y.");
  e.hint("dy/dx_i = w_i u + w_i (z_i - y) q. Multiply by x_i: u . x_i is z_i, and q . x_i is s_i.");
  e.insight(
      "Over embeddings, w_i is a factor of the gradient. The two agree because of the formula, and not because both\n"
      "found the reason. A BiLSTM passes each word on to all positions, and the factor is gone.",
      "./heed exercise 29 3");
  return e.run(argc, argv, examine);
}
