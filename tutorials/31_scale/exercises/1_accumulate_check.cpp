// Hints, common mistakes and checks of exercise 31.1.
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
using mine::MicroBatch, mine::SumLoss;
using Answer = std::function<double(Variable&, const std::vector<MicroBatch>&, const SumLoss&, double, double)>;

// What the divisor of a micro-batch is, and what happens how often.
enum class Divide { words, own_words, own_words_and_parts, parts, nothing };
struct Fault {
  Divide divide = Divide::words;
  bool clip_each = false, step_each = false, keeps_old = false, zero_each = false, no_clip = false,
       always_scale = false, ascends = false, last_loss = false;
};

void clip_and_step(Variable& w, double limit, double rate, const Fault& f, bool clip, bool step) {
  Tensor g = w.grad();
  double norm = std::sqrt(sum(square(Variable(g))).item());
  double factor = clip && !f.no_clip && (norm > limit || f.always_scale) ? limit / norm : 1;
  if (step) {
    w.set_value(sub(w.value(), mul(g, (f.ascends ? -rate : rate) * factor)));
  } else {
    w.set_grad(mul(g, factor));
  }
}

Answer with(const Fault& f) {
  return [f](Variable& w, const std::vector<MicroBatch>& parts, const SumLoss& sum_loss, double limit, double rate) {
    double words = 0, loss = 0, k = static_cast<double>(parts.size());
    for (const MicroBatch& part : parts) words += static_cast<double>(part.x.size(0));
    if (!f.keeps_old) w.zero_grad();
    for (const MicroBatch& part : parts) {
      auto own = static_cast<double>(part.x.size(0));
      double divisor = f.divide == Divide::words                 ? words
                       : f.divide == Divide::own_words           ? own
                       : f.divide == Divide::own_words_and_parts ? own * k
                       : f.divide == Divide::parts               ? k
                                                                 : 1;
      if (f.zero_each) w.zero_grad();
      Variable share = sum_loss(w, part) / divisor;
      backward(share);
      loss = f.last_loss ? share.item() : loss + share.item();
      if (f.clip_each) clip_and_step(w, limit, rate, f, true, false);
      if (f.step_each) clip_and_step(w, limit, rate, f, true, true), w.zero_grad();
    }
    if (!f.step_each) clip_and_step(w, limit, rate, f, !f.clip_each, true);
    return loss;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: w does not change. Begin with N, the words of all micro-batches",
     [](Variable&, const std::vector<MicroBatch>&, const SumLoss&, double, double) { return 0.0; }},
    {"Your loss is the mean of the means of the micro-batches: words of short ones count too much. Divide each sum by "
     "N",
     with({.divide = Divide::own_words_and_parts})},
    {"Your loss is the sum of the means of the micro-batches, k times too large: divide each sum by N, the words of "
     "all",
     with({.divide = Divide::own_words})},
    {"You divide by the number of micro-batches: divide by N, the number of words of all micro-batches",
     with({.divide = Divide::parts})},
    {"You add up the losses of all words and do not divide: divide by N", with({.divide = Divide::nothing})},
    {"You clip after each micro-batch: what is clipped is not the gradient of the step. Clip once, after the last one",
     with({.clip_each = true})},
    {"You take a step after each micro-batch: take one after the last, with the gradient of all",
     with({.step_each = true})},
    {"The gradient of the last step is still in w.grad(): begin with w.zero_grad()", with({.keeps_old = true})},
    {"w.zero_grad() before each micro-batch leaves the gradient of the last one alone: call it once per step",
     with({.zero_each = true})},
    {"You do not clip: if |g| > limit, multiply g by limit / |g|", with({.no_clip = true})},
    {"You make short gradients longer: multiply by limit / |g| only if |g| > limit", with({.always_scale = true})},
    {"You step along the gradient, and the loss rises: subtract rate g", with({.ascends = true})},
    {"You return the loss of the last micro-batch: return the sum over all of them", with({.last_loss = true})},
};

// Squared errors of a linear model.
Variable squared(const Variable& w, const MicroBatch& part) {
  return sum(square(matmul(Variable(part.x), w) - Variable(part.y)));
}

void examine(app::Exercise& e, const Answer& train_step) {
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

      double mine = train_step(w, parts, squared, limit, 0.1);
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
  return e.run(argc, argv, Answer(mine::train_step), examine, mistakes);
}
