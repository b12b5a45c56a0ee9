// Hints, common mistakes and checks of exercise 05.4.
#include "tutorials/05_network/exercises/4_by_hand.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Network;

// The right step with one part exchanged.
struct Parts {
  enum Forward { right, no_relu, no_bias } forward = right;
  enum Softmax { rows, columns, no_shift, none } softmax = rows;
  enum Logits { divided, divided_twice, sum, no_target } by_logits = divided;
  enum Relu { where_z, everywhere, where_gradient, as_forward } relu = where_z;
  enum Bias { added_up, averaged, fixed } bias = added_up;
  enum Update { all, upwards, only_second, only_first, second_first, nothing } update = all;
  enum Loss { before, after, summed, wrong_sign, of_log2 } loss = before;
};
Tensor softmax_of(const Tensor& logits, Parts::Softmax how) {
  if (how == Parts::columns) return softmax_rows(logits.transpose(0, 1)).transpose(0, 1).contiguous();
  if (how == Parts::no_shift) return div(exp(logits), sum(exp(logits), {1}, true));
  return how == Parts::none ? logits : softmax_rows(logits);
}
double loss_of(const Tensor& p, const Tensor& y, bool mean) {
  double loss = 0;
  for (int64_t i = 0; i < y.size(0); ++i) loss -= std::log(p.at({i, static_cast<int64_t>(y.at({i}))}));
  return mean ? loss / static_cast<double>(y.size(0)) : loss;
}
template <Parts parts>
double step_with(Network& net, const Tensor& x, const Tensor& y, double r) {
  auto linear = [&](const Tensor& in, const Tensor& weight, const Tensor& bias) {
    const Tensor out = matmul(in, weight.transpose(0, 1));
    return parts.forward == Parts::no_bias ? out : add(out, bias);
  };
  struct Pass {
    Tensor z, h, p;
  };
  auto forward = [&] {
    const Tensor z = linear(x, net.W, net.b);
    const Tensor h = parts.forward == Parts::no_relu ? z : relu(z);
    return Pass{z, h, softmax_of(linear(h, net.V, net.c), parts.softmax)};
  };
  const auto [z, h, p] = forward();
  Tensor g = parts.by_logits == Parts::no_target ? p : sub(p, one_hot(y, p.size(1), p.dtype()));
  if (parts.by_logits != Parts::sum) g = div(g, static_cast<double>(x.size(0)));
  if (parts.by_logits == Parts::divided_twice) g = div(g, static_cast<double>(x.size(0)));
  auto bias = [&](const Tensor& by_rows) {
    if (parts.bias == Parts::fixed) return Tensor::zeros({by_rows.size(1)}, by_rows.dtype());
    const Tensor total = sum(by_rows, {0});
    return parts.bias == Parts::averaged ? div(total, static_cast<double>(x.size(0))) : total;
  };
  const double step = parts.update == Parts::upwards ? -r : r;
  auto update = [&](Tensor& a, const Tensor& gradient) { a = sub(a, mul(gradient, step)); };
  const Tensor by_V = matmul(g.transpose(0, 1), h), by_c = bias(g), old_V = net.V;
  const bool first = parts.update != Parts::only_second && parts.update != Parts::nothing;
  if (parts.update != Parts::only_first && parts.update != Parts::nothing) update(net.V, by_V), update(net.c, by_c);
  const Tensor by_h = matmul(g, parts.update == Parts::second_first ? net.V : old_V);
  Tensor by_z = masked_fill(by_h, less_equal(z, 0), 0);
  if (parts.relu == Parts::everywhere || parts.forward == Parts::no_relu) by_z = by_h;
  if (parts.relu == Parts::where_gradient) by_z = relu(by_h);
  if (parts.relu == Parts::as_forward) by_z = mul(by_h, h);
  if (first) update(net.W, matmul(by_z.transpose(0, 1), x)), update(net.b, bias(by_z));
  const double loss = loss_of(parts.loss == Parts::after ? forward().p : p, y, parts.loss != Parts::summed);
  if (parts.loss == Parts::of_log2) return loss / std::log(2.0);
  return parts.loss == Parts::wrong_sign ? -loss : loss;
}

const std::vector<app::Mistake<decltype(&mine::train_step)>> mistakes{
    {"The gap is still open: the loss is 0 and nothing changes",
     [](Network&, const Tensor&, const Tensor&, double) { return 0.0; }},
    {"The ReLU is missing from the forward pass: h = max(z, 0)", step_with<Parts{.forward = Parts::no_relu}>},
    {"The biases are missing from the forward pass: add b to z, and c to the logits",
     step_with<Parts{.forward = Parts::no_bias}>},
    {"Your softmax is over the examples: the probabilities of one example, a row, sum to 1",
     step_with<Parts{.softmax = Parts::columns}>},
    {"A large logit overflows: subtract the largest of its row before exp",
     step_with<Parts{.softmax = Parts::no_shift}>},
    {"You used the logits as probabilities: the softmax is missing", step_with<Parts{.softmax = Parts::none}>},
    {"Your gradients are those of the sum of the losses: L is their mean, so divide the gradient by the logits by B",
     step_with<Parts{.by_logits = Parts::sum}>},
    {"Your gradients are divided by B twice: once, in the gradient by the logits, is enough",
     step_with<Parts{.by_logits = Parts::divided_twice}>},
    {"The target is missing from the gradient by the logits: subtract 1 from p at the right class",
     step_with<Parts{.by_logits = Parts::no_target}>},
    {"The gradient passes through the ReLU everywhere: it is 0 where z is not above 0",
     step_with<Parts{.relu = Parts::everywhere}>},
    {"You applied the ReLU to the gradient: it is z that decides where the gradient passes, and a gradient may be "
     "negative",
     step_with<Parts{.relu = Parts::where_gradient}>},
    {"You multiplied the gradient by h: the derivative of max(z, 0) is 1 where z is above 0, and 0 elsewhere",
     step_with<Parts{.relu = Parts::as_forward}>},
    {"The weights are right and the biases are not: their gradient is the sum over the examples, not the mean (1 / B "
     "is "
     "in it already)",
     step_with<Parts{.bias = Parts::averaged}>},
    {"The weights are right and the biases never change: their gradient is the sum over the examples",
     step_with<Parts{.bias = Parts::fixed}>},
    {"Your step goes up, so the loss grows: either the gradient by the logits has the wrong sign (it is p - "
     "one_hot(y), "
     "divided by B), or it is added in the update (subtract r times the gradient)",
     step_with<Parts{.update = Parts::upwards}>},
    {"W and b do not change: the gradient goes on through h = max(z, 0) to the first layer",
     step_with<Parts{.update = Parts::only_second}>},
    {"V and c do not change: update the second layer, too", step_with<Parts{.update = Parts::only_first}>},
    {"You updated V before you used it: the gradient by h needs the old V, so compute all gradients first",
     step_with<Parts{.update = Parts::second_first}>},
    {"The loss is right and the parameters do not change: the backward pass and the update are still open",
     step_with<Parts{.update = Parts::nothing}>},
    {"The step is right; you return the loss after it: compute it from the p of the forward pass",
     step_with<Parts{.loss = Parts::after}>},
    {"The step is right; you return the sum of the losses: divide by B", step_with<Parts{.loss = Parts::summed}>},
    {"The step is right; the loss has the wrong sign: it is minus the logarithm",
     step_with<Parts{.loss = Parts::wrong_sign}>},
    {"The step is right; the loss is in bits: use the natural logarithm, std::log",
     step_with<Parts{.loss = Parts::of_log2}>},
};

void examine(app::Exercise& e, const decltype(&mine::train_step)& train_step) {
  constexpr int64_t B = 6, D = 3, N = 5, C = 4;
  constexpr double kRate = 0.3;
  Generator rng(5);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  const Tensor y = Tensor::from(std::vector<int64_t>{0, 3, 1, 1, 2, 3}, {B});
  // With `shift` added to all logits the probabilities are the same.
  for (double shift : {0.0, 1000.0}) {
    Network ours{normal({N, D}), normal({N}), normal({C, N}), add(normal({C}), shift)};
    Network theirs{ours.W.clone(), ours.b.clone(), ours.V.clone(), ours.c.clone()};
    for (int step = 1; step <= 2; ++step) {
      const Tensor x = normal({B, D});
      std::vector<Variable> a;
      for (const Tensor& t : {theirs.W, theirs.b, theirs.V, theirs.c}) a.emplace_back(t, Variable::kRequiresGrad);
      const Variable loss = cross_entropy(linear(relu(linear(Variable(x), a[0], a[1])), a[2], a[3]), y);
      const std::vector<Variable> g = grad({loss}, a);
      std::size_t i = 0;
      for (Tensor* t : {&theirs.W, &theirs.b, &theirs.V, &theirs.c}) *t = sub(*t, mul(g[i++].value(), kRate));
      const std::string of = fmt::format("step {}{}", step, shift == 0 ? "" : ", with 1000 added to all logits");
      const std::string with = " after " + of;
      e.check("the loss of " + of, train_step(ours, x, y, kRate), loss.item(), 1e-9);
      e.check("V" + with, ours.V, theirs.V, 1e-9);
      e.check("c" + with, sub(ours.c, shift), sub(theirs.c, shift), 1e-9);
      e.check("W" + with, ours.W, theirs.W, 1e-9);
      e.check("b" + with, ours.b, theirs.b, 1e-9);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("05", 4, "A training step by hand");
  e.hint("The gradient by the logits is (p - one_hot(y)) / B: copy p with clone(), subtract 1 at [i, y_i], divide.");
  e.hint("y.at({i}) is a double: static_cast<int64_t>(y.at({i})) is the class of example i.");
  e.hint(
      "logits = h V^T + c: by V, [C, N], it is G^T h; by c the sum of G over the examples; by h, [B, N], it is G V.");
  e.hint("h = max(z, 0): masked_fill(by_h, less_equal(z, 0), 0). Then z = x W^T + b is the same as the last layer.");
  e.hint("net.V = sub(net.V, mul(by_V, r)); all updates come after the last gradient.");
  e.insight(
      "Backward is the forward pass read from its end: each line needs the gradient of its result and what went in.\n"
      "A library does the same with one recorded node per line. You have now trained a network without one.",
      "./heed run 06");
  return e.run(argc, argv, mine::train_step, examine, mistakes);
}
