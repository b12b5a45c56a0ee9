// Exercise 05.2: the training loop.
//
//   for each epoch, for each batch:   forget the last gradients, logits, loss, its gradient, a step
//
// epoch: every example once. batch: rows [begin, end) of x [N, 2] and y [N]; the last one may be smaller. The examples
// are shuffled already. Returns the mean of the batches' losses in the last epoch.
//
// sgd.zero_grad() and sgd.step() are the optimiser's; cross_entropy(logits, targets) is the loss, a Variable, and
// loss.item() its number; x.slice(0, begin, end) takes rows of a tensor; backward(loss) fills the gradients.
#include "tutorials/05_network/loop.h"
#include "tutorials/05_network/mlp.h"
#include "tutorials/common/exercise.h"

using namespace heed;

double learn([[maybe_unused]] const Model& model, [[maybe_unused]] nn::SGD& sgd, [[maybe_unused]] const Points& data,
             [[maybe_unused]] int64_t epochs, [[maybe_unused]] int64_t batch) {
  // --- the gap: two loops, and five lines in them ---
  return 0;
  // --- end of the gap ---
}

int main(int argc, char** argv) {
  app::Exercise e("05", 2, "The training loop");
  e.hint("Two loops: epochs, and begin = 0, batch, 2 batch, ... with end = min(begin + batch, data.count()).");
  e.hint("Inside: zero_grad, loss = cross_entropy(model(rows of x), rows of y), backward(loss), step.");
  e.hint("If the first step is right and the second wrong, the gradients of the first are still there.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    Points data = spiral(250, {.turns = 0.5}, rng);
    // The same by hand: w <- w - rate * gradient, for a linear model, three batches of 100, 100 and 50, two epochs.
    nn::Linear line({.in = 2, .out = 2}, rng), other = clone(line);
    double wanted = 0;
    for (int step = 0; step < 6; ++step) {
      int64_t begin = step % 3 * 100, end = std::min<int64_t>(begin + 100, 250);
      zero_grad(other);
      Variable loss = cross_entropy(other(data.x.slice(0, begin, end)), data.y.slice(0, begin, end));
      backward(loss);
      for (Variable& p : parameters(other)) p.set_value((Variable(p.value()) - 0.5 * Variable(p.grad())).value());
      if (step >= 3) wanted += loss.item() / 3;
    }
    nn::SGD sgd(named_parameters(line), {.learning_rate = 0.5});
    e.check("the mean loss of the second epoch", learn(model_of(line), sgd, data, /*epochs=*/2, /*batch=*/100), wanted,
            1e-5);
    e.check("the number of steps", static_cast<double>(sgd.steps()), 6, 0);
    e.check("the weight after six steps", line.weight.value(), other.weight.value(), 1e-5);

    Mlp net({.hidden = 32}, rng);
    nn::SGD step(named_parameters(net), {.learning_rate = 0.3});
    learn(model_of(net), step, data, /*epochs=*/150, /*batch=*/32);
    e.check("the network learned half a turn (1: at least 97 % right)", score(model_of(net), data).percent >= 97, 1, 0);
  });
}
