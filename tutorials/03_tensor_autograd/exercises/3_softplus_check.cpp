// Hints, common mistakes and checks of exercise 03.3.
#include "tutorials/03_tensor_autograd/exercises/3_softplus.h"

#include <string>

#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// Softplus whose gradient is gradient(dy, x).
template <class F>
Variable with(const Variable& x, F gradient) {
  Tensor v = x.value();
  Tensor y = add(relu(v), log(add(exp(neg(abs(v))), 1)));
  return attach("softplus", {x}, y,
                [sx = save(x), gradient](Grads& g, const Variable& dy) { g.add(0, gradient(dy, g[sx])); });
}

using V = const Variable&;
const std::vector<app::Mistake<decltype(&mine::softplus)>> mistakes{
    {"The gap is still open: the result is a constant, so no gradient reaches x",
     [](V x) { return Variable(with(x, [](V dy, V) { return dy; }).value()); }},
    {"Your gradient is the sigmoid of x alone: multiply it by dy, the gradient that arrives",
     [](V x) { return with(x, [](V, V in) { return sigmoid(in); }); }},
    {"Your gradient is dy alone: multiply it by the local derivative, the sigmoid of x",
     [](V x) { return with(x, [](V dy, V) { return dy; }); }},
    {"Your gradient has the wrong sign: softplus grows with x, so its derivative is +sigmoid(x)",
     [](V x) { return with(x, [](V dy, V in) { return -(dy * sigmoid(in)); }); }},
    {"You used sigmoid(-x), which is 1 - sigmoid(x): the derivative tends to 1 for large x, not to 0",
     [](V x) { return with(x, [](V dy, V in) { return dy * sigmoid(-in); }); }},
    {"You took the sigmoid of y: the derivative is the sigmoid of x. Save x, not the output",
     [](V x) { return with(x, [](V dy, V in) { return dy * sigmoid(log(1 + exp(in))); }); }},
    {"You differentiated the sigmoid, s (1 - s): the derivative of softplus is the sigmoid itself",
     [](V x) { return with(x, [](V dy, V in) { return dy * sigmoid(in) * (1 - sigmoid(in)); }); }},
    {"The gradient is NaN for large x: exp(x) / (1 + exp(x)) is infinity over infinity there. Use sigmoid(x)",
     [](V x) {
       return with(x, [](V dy, V in) {
         const Variable up = exp(in);
         return dy * (up / (1 + up));
       });
     }},
    {"The gradient is right but cannot be differentiated again: sigmoid(x.value()) is a constant; use sigmoid(g[sx])",
     [](V x) { return with(x, [](V dy, V in) { return dy * Variable(sigmoid(in.value())); }); }},
    {"The gradient is that of relu: the slope of softplus changes smoothly, sigmoid(x), and is 1/2 at 0",
     [](V x) { return with(x, [](V dy, V in) { return dy * Variable(sign(relu(in.value()))); }); }},
};

void examine(app::Exercise& e, const decltype(&mine::softplus)& softplus) {
  const Tensor x = Tensor::from(std::vector<double>{-3, -0.5, 0, 0.25, 2, 4}, {2, 3});
  const Tensor v = Tensor::from(std::vector<double>{1, -2, 0.5, 3, -1, 2}, {2, 3});
  auto f = [&](const std::vector<Variable>& in) { return softplus(in[0]); };
  e.check("the value at 0 (ln 2)", softplus(Tensor::scalar(0, DType::f64)).item(), 0.6931471805599453, 1e-12);
  Variable leaf(x, Variable::kRequiresGrad);
  const Variable weighted = sum(softplus(leaf) * Variable(v));
  const bool joined = e.check("whether the result requires a gradient", weighted.requires_grad() ? "yes" : "no", "yes");
  if (!joined) return;
  backward(weighted);
  const Tensor dx = leaf.grad().defined() ? leaf.grad() : Tensor::zeros(x.shape(), DType::f64);
  e.check("the gradient of sum v softplus(x)", dx, mul(v, sigmoid(x)), 1e-12);
  auto said = [](const GradcheckReport& r) { return r.passed ? std::string("right") : r.diagnosis; };
  e.check("the gradient, against differences,", said(gradcheck(f, {x})), "right");
  e.check("the gradient of the gradient", said(gradgradcheck(f, {x})), "right");
  Variable far(Tensor::from(std::vector<double>{-1000, 1000}, {2}), Variable::kRequiresGrad);
  Variable y = softplus(far);
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
  return e.run(argc, argv, mine::softplus, examine, mistakes);
}
