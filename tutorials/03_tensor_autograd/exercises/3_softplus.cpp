// Exercise 03.3: an operation of your own, with attach().
//
//   y = log(1 + e^x)      dy/dx = e^x / (1 + e^x) = 1 / (1 + e^-x), the sigmoid of x
//
// The value below is written so that it never overflows: max(x, 0) + log(1 + e^-|x|). What is missing is its place in
// the graph: without attach() the result is a constant, and no gradient comes back. The pattern is that of every
// operation of the library (autograd/attach.h shows it for sqrt; autograd/ops_arithmetic.cpp has more):
//
//   return attach("name", {x}, y, [what it saves](Grads& g, const Variable& dy) { g.add(0, gradient of input 0); });
//
// A value that the gradient needs is saved with [sx = save(x)] and read with g[sx].
#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

using namespace heed;

Variable my_softplus(const Variable& x) {
  Tensor v = x.value();
  Tensor y = add(relu(v), log(add(exp(neg(abs(v))), 1)));
  // --- the gap: join the graph ---
  return Variable(y);
  // --- end of the gap ---
}

int main(int argc, char** argv) {
  app::Exercise e("03", 3, "An operation of your own");
  e.hint("attach(\"softplus\", {x}, y, lambda): the lambda gets dy, the gradient of y, and adds dx = dy * sigmoid(x).");
  e.hint(
      "sigmoid(g[sx]) is a Variable, so the gradient can itself be differentiated; exp(x) / (1 + exp(x)) overflows.");
  return e.run(argc, argv, [&] {
    Tensor x = Tensor::from(std::vector<double>{-3, -0.5, 0, 0.25, 2, 4}, {2, 3});
    auto f = [](const std::vector<Variable>& in) { return my_softplus(in[0]); };
    e.check("the value at 0 (ln 2)", my_softplus(Tensor::scalar(0, DType::f64)).item(), 0.6931471805599453, 1e-12);
    auto said = [](const GradcheckReport& r) { return r.passed ? std::string("right") : r.diagnosis; };
    e.check("the gradient, against differences,", said(gradcheck(f, {x})), "right");
    e.check("the gradient of the gradient", said(gradgradcheck(f, {x})), "right");
    Variable far(Tensor::from(std::vector<double>{-1000, 1000}, {2}), Variable::kRequiresGrad);
    Variable y = my_softplus(far);
    e.check("the value far out", y.value(), Tensor::from(std::vector<double>{0, 1000}, {2}), 1e-12);
    backward(sum(y));
    e.check("the gradient far out", far.grad(), Tensor::from(std::vector<double>{0, 1}, {2}), 1e-12);
  });
}
