// Hints and checks of exercise 31.1.
#include "tutorials/31_scale/exercises/1_accumulate.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::MicroBatch;

// Squared errors of a linear model.
Variable squared(const Variable& w, const MicroBatch& part) {
  return sum(square(matmul(Variable(part.x), w) - Variable(part.y)));
}

void examine(app::Exercise& e) {
  Generator rng(3);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  std::vector<MicroBatch> parts;
  for (int64_t n : {2, 9, 5}) parts.push_back({normal({n, 4}), normal({n})});
  Tensor start = normal({4});
  for (double limit : {1e3, 0.7}) {
    Variable w(start.clone(), Variable::kRequiresGrad), expected(start.clone(), Variable::kRequiresGrad);
    for (int step = 1; step <= 2; ++step) {
      // One batch of all words.
      double norm = 0, loss = 0;
      expected.zero_grad();
      Variable whole = (squared(expected, parts[0]) + squared(expected, parts[1]) + squared(expected, parts[2])) / 16;
      backward(whole);
      loss = whole.item();
      norm = std::sqrt(sum(square(Variable(expected.grad()))).item());
      expected.set_value(sub(expected.value(), mul(expected.grad(), 0.1 * std::min(1.0, limit / norm))));

      double mine = mine::train_step(w, parts, squared, limit, 0.1);
      std::string where = fmt::format("step {}, limit {}: ", step, limit);
      e.check(where + "the loss per word", mine, loss, 1e-9);
      e.check(where + "w after the step", w.value(), expected.value(), 1e-9);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("31", 1, "A training step with accumulation and clipping");
  e.hint("Two loops: the first adds up the words, the second calls backward for each micro-batch.");
  e.hint("backward adds to w.grad(): nothing has to be added by hand, and nothing may be cleared in between.");
  e.hint("Norm, clipping and the new value of w come after the second loop.");
  e.insight(
      "The divisor belongs to the step, and so do clipping and the update. Everything that is not a sum over words "
      "has\n"
      "to wait until all micro-batches are done.",
      "./heed exercise 31 2");
  return e.run(argc, argv, examine);
}
