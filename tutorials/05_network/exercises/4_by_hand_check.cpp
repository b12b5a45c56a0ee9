// Hints and checks of exercise 05.4.
#include "tutorials/05_network/exercises/4_by_hand.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Network;

void examine(app::Exercise& e) {
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
      e.check("the loss of " + of, mine::train_step(ours, x, y, kRate), loss.item(), 1e-9);
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
  return e.run(argc, argv, examine);
}
