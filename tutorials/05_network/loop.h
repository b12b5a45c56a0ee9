// The examples, the training loop and its measurements: stochastic gradient descent.
//
//   w <- w - r dL/dw        w: any parameter, r: the learning rate, L: mean cross-entropy of a batch of B examples
//
// `model` is anything that computes logits [B, 2] from points [B, 2].
#pragma once

#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/sgd.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed {

// Two spirals that wind around each other, so that no straight line separates them.
//
//   class c in {0, 1}, s in [0, 1]:   angle a = 2 pi turns s + pi c,   radius r = 0.1 + 0.9 s
//   the point: (r cos a, r sin a) plus noise                           x [N, 2] f32, y [N] i64
//
// After K. Lang and M. Witbrock, "Learning to tell two spirals apart", 1988 (three turns, 194 points, no noise).
struct Points {
  Tensor x, y;  // [N, 2] f32, [N] i64
  int64_t count() const { return y.size(0); }
};

struct SpiralOptions {
  double turns = 2, noise = 0.02;
};
inline Points spiral(int64_t count, const SpiralOptions& o, Generator& rng) {
  Points p{Tensor::empty({count, 2}), Tensor::empty({count}, DType::i64)};
  for (int64_t i = 0; i < count; ++i) {
    double s = rng.uniform(), c = static_cast<double>(i % 2);
    double a = 2 * M_PI * o.turns * s + M_PI * c, r = 0.1 + 0.9 * s;
    p.x.set({i, 0}, r * std::cos(a) + o.noise * rng.normal());
    p.x.set({i, 1}, r * std::sin(a) + o.noise * rng.normal());
    p.y.set({i}, c);
  }
  return p;
}

inline Points pick(const Points& from, const std::vector<int64_t>& which) {
  Tensor at = Tensor::from(which, {std::ssize(which)});
  return {index_select(from.x, at), index_select(from.y, at)};
}

using Model = std::function<Variable(const Variable&)>;
template <class M>
Model model_of(const M& module) {
  return [&module](const Variable& x) { return module(x); };
}

struct Score {
  double loss = 0, percent = 0;  // mean cross-entropy; percentage of examples whose larger logit is the right one
};
inline Score score(const Model& model, const Points& p) {
  NoGrad guard;  // a measurement needs no graph
  Variable logits = model(p.x);
  Tensor right = equal(argmax(logits.value(), 1), p.y);
  return {cross_entropy(logits, p.y).item(), 100 * mean(right.to(DType::f64)).item()};
}

// Common mistakes in a training loop, to be planted on purpose.
enum class Mistake { none, keeps_gradients, softmax_twice };

struct TrainOptions {
  std::string name = "step";  // in the progress bar
  int64_t steps = 8000, batch = 32;
  double learning_rate = 0.2;
  Mistake mistake = Mistake::none;
  int64_t measure_every = 200;  // steps
  bool keep_best = false;       // early stopping: return to the parameters with the smallest validation loss
};
struct History {
  std::vector<double> steps;
  std::vector<Score> train, valid;
  int64_t best = 0;  // the index at which the validation loss is smallest
  double seen = 0;   // mean loss of the last measure_every steps, as the loop computes it (with its mistakes)
};

// `watch`, if given, is called at each measurement.
template <class M>
History train(M& model, const Points& data, const Points& valid, const TrainOptions& o, Generator& rng,
              const std::function<void(int64_t step)>& watch = {}) {
  nn::SGD sgd(named_parameters(model), {.learning_rate = o.learning_rate});
  nn::Progress progress(o.steps, {.label = o.name, .unit = "examples"});
  History history;
  io::SafeTensors best;
  auto measure = [&](int64_t step) {
    history.steps.push_back(static_cast<double>(step));
    history.train.push_back(score(model_of(model), data));
    history.valid.push_back(score(model_of(model), valid));
    if (step == 0 || history.valid.back().loss < history.valid[static_cast<size_t>(history.best)].loss) {
      history.best = std::ssize(history.valid) - 1;
      best = save_state(model);
    }
    if (watch) watch(step);
  };
  std::vector<int64_t> order(static_cast<size_t>(data.count()));
  std::iota(order.begin(), order.end(), 0);
  int64_t next = data.count();
  measure(0);
  for (int64_t step = 1; step <= o.steps; ++step) {
    if (next + o.batch > data.count()) {  // an epoch is over: every example was seen once
      rng.shuffle(order);
      next = 0;
    }
    int64_t end = std::min(next + o.batch, data.count());
    Points batch = pick(data, {order.begin() + next, order.begin() + end});
    next = end;

    if (o.mistake != Mistake::keeps_gradients) sgd.zero_grad();  // 1. forget the last gradients
    Variable logits = model(batch.x);                            // 2. forward
    if (o.mistake == Mistake::softmax_twice) logits = softmax(logits);
    Variable loss = cross_entropy(logits, batch.y);  // 3. one number
    backward(loss);                                  // 4. its gradient with respect to every parameter
    sgd.step();                                      // 5. w <- w - learning rate * gradient

    if (step > o.steps - o.measure_every) history.seen += loss.item() / static_cast<double>(o.measure_every);
    progress.step({.loss = loss.item(), .items = batch.count()});
    if (step % o.measure_every == 0 || step == o.steps) measure(step);
  }
  if (o.keep_best) load_state(model, best, "the best parameters");
  return history;
}

}  // namespace heed
