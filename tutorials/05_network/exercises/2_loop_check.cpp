// Hints and checks of exercise 05.2.
#include "tutorials/05_network/exercises/2_loop.h"

#include <algorithm>

#include "tutorials/05_network/mlp.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(1);
  const Points data = spiral(250, {.turns = 0.5}, rng);
  // The same by hand: w <- w - rate * gradient, for a linear model, three batches of 100, 100 and 50, two epochs.
  nn::Linear line({.in = 2, .out = 2}, rng), other = clone(line);
  double expected = 0;
  for (int step = 0; step < 6; ++step) {
    const int64_t begin = step % 3 * 100, end = std::min<int64_t>(begin + 100, 250);
    zero_grad(other);
    const Variable loss = cross_entropy(other(data.x.slice(0, begin, end)), data.y.slice(0, begin, end));
    backward(loss);
    for (Variable& p : parameters(other)) p.set_value((Variable(p.value()) - 0.5 * Variable(p.grad())).value());
    if (step >= 3) expected += loss.item() / 3;
  }
  nn::SGD sgd(named_parameters(line), {.learning_rate = 0.5});
  const double returned = mine::learn(model_of(line), sgd, data, /*epochs=*/2, /*batch=*/100);
  bool right = e.check("the number of steps", static_cast<double>(sgd.steps()), 6, 0);
  right = e.check("the weight after six steps, element ", line.weight.value(), other.weight.value(), 1e-5) && right;
  right = e.check("the mean loss of the second epoch", returned, expected, 1e-5) && right;
  if (!right) return;  // a network is trained once the loop is right

  Mlp net({.hidden = 32}, rng);
  nn::SGD step(named_parameters(net), {.learning_rate = 0.3});
  mine::learn(model_of(net), step, data, /*epochs=*/150, /*batch=*/32);
  e.check("the network learned half a turn (1: at least 97 % right)", score(model_of(net), data).percent >= 97, 1, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("05", 2, "The training loop");
  e.hint("Two loops: epochs, and begin = 0, batch, 2 batch, ... with end = min(begin + batch, data.count()).");
  e.hint("Inside: zero_grad, loss = cross_entropy(model(rows of x), rows of y), backward(loss), step.");
  e.hint("If the first step is right and the second one wrong, the gradients of the first are still there.");
  e.hint("Add loss.item() to a sum and count the batches; reset both when an epoch starts.");
  e.insight(
      "These five lines train every model of this course, from one line to a transformer. Only the model and the data\n"
      "change. Gradients add up until they are reset, which also allows one step for several small batches.",
      "./heed exercise 05 3");
  return e.run(argc, argv, examine);
}
