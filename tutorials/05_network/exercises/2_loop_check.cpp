// Hints, common mistakes and checks of exercise 05.2.
#include "tutorials/05_network/exercises/2_loop.h"

#include <algorithm>
#include <vector>

#include "tutorials/05_network/mlp.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// The right loop, with one part exchanged.
struct Parts {
  bool zero_grad = true, step = true, step_first = false, zero_after_backward = false;
  bool last_batch = true, first_rows = false, one_epoch = false, whole = false;
  enum Returned { mean_of_last, sum_of_last, loss_of_last_batch, mean_of_all, over_epochs, over_examples, by_rows };
  Returned returned = mean_of_last;
};
template <Parts parts>
double learn(const Model& model, nn::SGD& sgd, const Points& data, int64_t epochs, int64_t batch) {
  double total = 0, all = 0, last = 0, weighted = 0;
  int64_t batches = 0, all_batches = 0;
  if (parts.whole) batch = data.count();
  for (int64_t epoch = 0; epoch < (parts.one_epoch ? 1 : epochs); ++epoch) {
    total = 0, batches = 0, weighted = 0;
    for (int64_t begin = 0; begin < data.count(); begin += batch) {
      const int64_t end = std::min(begin + batch, data.count()), from = parts.first_rows ? 0 : begin;
      if (!parts.last_batch && end - begin < batch) break;
      if (parts.zero_grad) sgd.zero_grad();
      const Variable loss =
          cross_entropy(model(data.x.slice(0, from, end - begin + from)), data.y.slice(0, from, end - begin + from));
      if (parts.step_first) sgd.step(), sgd.zero_grad();
      backward(loss);
      if (parts.zero_after_backward) sgd.zero_grad();
      if (parts.step && !parts.step_first) sgd.step();
      last = loss.item(), total += last, all += last, weighted += last * static_cast<double>(end - begin);
      ++batches, ++all_batches;
    }
  }
  switch (parts.returned) {
    case Parts::sum_of_last:
      return total;
    case Parts::loss_of_last_batch:
      return last;
    case Parts::mean_of_all:
      return all / static_cast<double>(all_batches);
    case Parts::over_epochs:
      return all / static_cast<double>(batches);
    case Parts::over_examples:
      return total / static_cast<double>(data.count());
    case Parts::by_rows:
      return weighted / static_cast<double>(data.count());
    default:
      return total / static_cast<double>(batches);
  }
}

const std::vector<app::Mistake<decltype(&mine::learn)>> mistakes{
    {"The gap is still open: nothing is learned",
     [](const Model&, nn::SGD&, const Points&, int64_t, int64_t) { return 0.0; }},
    {"The gradients are never reset: each step uses the sum of all gradients so far. Call sgd.zero_grad() per batch",
     learn<Parts{.zero_grad = false}>},
    {"The parameters never change: call sgd.step() after backward(loss)", learn<Parts{.step = false}>},
    {"The step sees gradients that were just reset, so nothing is learned: call zero_grad, then backward(loss), then "
     "step",
     learn<Parts{.zero_after_backward = true}>},
    {"Each step uses the gradient of the batch before: call backward(loss) before sgd.step()",
     learn<Parts{.zero_grad = false, .step_first = true}>},
    {"The last batch is skipped because it is smaller: every example is used in each epoch, so take the rows that "
     "remain",
     learn<Parts{.last_batch = false}>},
    {"Every batch takes the first rows: take the rows from begin to end", learn<Parts{.first_rows = true}>},
    {"You make one epoch only: repeat the loop over the batches `epochs` times", learn<Parts{.one_epoch = true}>},
    {"You take all rows at once: go through the examples in batches of `batch` rows, with a step for each",
     learn<Parts{.whole = true}>},
    {"The learning is right; you return the sum of the losses: divide it by the number of batches",
     learn<Parts{.returned = Parts::sum_of_last}>},
    {"The learning is right; you return the loss of the last batch: return the mean over the batches of the last epoch",
     learn<Parts{.returned = Parts::loss_of_last_batch}>},
    {"The learning is right; you return the mean over all epochs: return that of the last one, so reset the sum and "
     "the "
     "count when an epoch starts",
     learn<Parts{.returned = Parts::mean_of_all}>},
    {"The learning is right; the sum of the losses is not reset when an epoch starts, but the number of batches is",
     learn<Parts{.returned = Parts::over_epochs}>},
    {"The learning is right; you divide by the number of examples: each loss is a mean already, so divide by the "
     "number "
     "of batches",
     learn<Parts{.returned = Parts::over_examples}>},
    {"The learning is right; you weight the losses by the number of rows: the mean of the batches' losses is asked for",
     learn<Parts{.returned = Parts::by_rows}>},
};

void examine(app::Exercise& e, const decltype(&mine::learn)& learn_) {
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
  const double returned = learn_(model_of(line), sgd, data, /*epochs=*/2, /*batch=*/100);
  bool right = e.check("the number of steps", static_cast<double>(sgd.steps()), 6, 0);
  right = e.check("the weight after six steps, element ", line.weight.value(), other.weight.value(), 1e-5) && right;
  right = e.check("the mean loss of the second epoch", returned, expected, 1e-5) && right;
  if (!right) return;  // a network is trained once the loop is right

  Mlp net({.hidden = 32}, rng);
  nn::SGD step(named_parameters(net), {.learning_rate = 0.3});
  learn_(model_of(net), step, data, /*epochs=*/150, /*batch=*/32);
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
  return e.run(argc, argv, mine::learn, examine, mistakes);
}
