// Hints and checks of exercise 03.3.
#include "tutorials/03_tensor_autograd/exercises/3_softplus.h"

#include <string>

#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  const Tensor x = Tensor::from(std::vector<double>{-3, -0.5, 0, 0.25, 2, 4}, {2, 3});
  const Tensor v = Tensor::from(std::vector<double>{1, -2, 0.5, 3, -1, 2}, {2, 3});
  auto f = [&](const std::vector<Variable>& in) { return mine::softplus(in[0]); };
  e.check("the value at 0 (ln 2)", mine::softplus(Tensor::scalar(0, DType::f64)).item(), 0.6931471805599453, 1e-12);
  Variable leaf(x, Variable::kRequiresGrad);
  const Variable weighted = sum(mine::softplus(leaf) * Variable(v));
  const bool joined = e.check("whether the result requires a gradient", weighted.requires_grad() ? "yes" : "no", "yes");
  if (!joined) return;
  backward(weighted);
  const Tensor dx = leaf.grad().defined() ? leaf.grad() : Tensor::zeros(x.shape(), DType::f64);
  e.check("the gradient of sum v softplus(x)", dx, mul(v, sigmoid(x)), 1e-12);
  auto said = [](const GradcheckReport& r) { return r.passed ? std::string("right") : r.diagnosis; };
  e.check("the gradient, against differences,", said(gradcheck(f, {x})), "right");
  e.check("the gradient of the gradient", said(gradgradcheck(f, {x})), "right");
  Variable far(Tensor::from(std::vector<double>{-1000, 1000}, {2}), Variable::kRequiresGrad);
  Variable y = mine::softplus(far);
  e.check("the value at -1000 and 1000", y.value(), Tensor::from(std::vector<double>{0, 1000}, {2}), 1e-12);
  backward(sum(y));
  e.check("the gradient at -1000 and 1000", far.grad(), Tensor::from(std::vector<double>{0, 1}, {2}), 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("03", 3, "An operation of your own");
  e.hint("attach(\"softplus\", {x}, y, function): the function receives dy, the gradient of y, and adds that of x.");
  e.hint("By the chain rule that is dx = dy * sigmoid(x), an element-wise product: g.add(0, dx).");
  e.hint("Save x with [sx = save(x)]. sigmoid(g[sx]) is a Variable, so the gradient can itself be differentiated.");
  e.hint("exp(x) / (1 + exp(x)) overflows for large x; sigmoid of autograd/ops.h does not.");
  e.insight(
      "An operation is a value and a rule for its gradient. If the rule uses differentiable operations, it is "
      "recorded\n"
      "too, and second derivatives need no further work. Check both, with gradcheck and gradgradcheck.",
      "./heed run 04");
  return e.run(argc, argv, examine);
}
