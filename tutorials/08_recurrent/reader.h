// The network: a recurrent layer over the sequence, and a linear layer that predicts the symbol from its last state.
//
//   x [B, T, K + 1] -> h_T [B, N] -> logits [B, K]
//
// Training is lesson 05's loop with lesson 06's Adam and clipping.
#pragma once

#include <cmath>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/init.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tutorials/08_recurrent/cells.h"

namespace recurrent {

namespace nn = heed::nn;

// Delayed recall: first a symbol, then distractors, then a question mark, at which the first symbol must be predicted.
//
//   C f a h C b .. e ?  ->  C        K symbols and the mark: K + 1 different inputs; T = lag + 2 steps
//     '--- lag distractors
//
// The distractors are drawn from the same K symbols, so only its position distinguishes the first one. An input is a
// one-hot row: x [B, T, K + 1]. All sequences of a batch have the same lag, so there is no padding. Guessing is right
// in one of K cases.
struct Recall {
  heed::Tensor x, y;  // [B, T, K + 1] f32, [B] i64: the first symbol, 0 .. K - 1
};

inline constexpr int64_t kSymbols = 8;

inline Recall make_recall(int64_t lag, int64_t batch, heed::Generator& rng) {
  std::vector<int64_t> symbols, answers;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t t = 0; t <= lag; ++t) symbols.push_back(rng.below(kSymbols));
    answers.push_back(symbols[symbols.size() - static_cast<size_t>(lag) - 1]);
    symbols.push_back(kSymbols);  // the mark
  }
  return {one_hot(heed::Tensor::from(symbols, {batch, lag + 2}), kSymbols + 1), heed::Tensor::from(answers, {batch})};
}

template <class Cell>
struct Reader : nn::Module {
  using Options = typename Cell::Options;
  Reader(const Options& o, heed::Generator& rng) : options(o), layer(o, rng), name({o.hidden, kSymbols}, rng) {}
  Variable operator()(const heed::Tensor& x) const {  // [B, T, K + 1] -> [B, K]
    auto last = layer(x).state;                       // each part [1, B, N]
    return name(select(*nn::parts(last)[0], 0, 0));
  }
  void visit(nn::Visitor& v) {
    v.child("layer", layer);
    v.child("name", name);
  }
  const Cell& cell() const { return layer.cells[0]; }
  Options options;
  nn::Recurrent<Cell> layer;
  nn::Linear name;
};

struct Training {
  int64_t steps = 2000, shortest = 20, longest = 20;  // lags: one per batch, between these two
  double rate = 0.01, clip = 1;                       // clip 0: no clipping
  double stretch = 0;                                 // if not 0: W_hh starts as an orthogonal matrix times this
  uint64_t seed = 1;
};
struct Outcome {
  std::string name;
  int64_t parameters = 0;
  double rate = 0;
  std::vector<double> right;          // %, at each of the tested lags
  std::vector<double> before, after;  // gradient by distance: see heard()
  std::vector<double> losses, norms;  // of each training step
  double last_loss() const {          // the mean of the last 100
    auto count = std::min<std::ptrdiff_t>(100, std::ssize(losses));
    return std::accumulate(losses.end() - count, losses.end(), 0.0) / static_cast<double>(count);
  }
};

// The share of `count` new sequences whose first symbol is predicted correctly, in %.
template <class Cell>
double percent_right(const Reader<Cell>& reader, int64_t lag, uint64_t seed, int64_t count = 500) {
  heed::NoGrad guard;
  heed::Generator rng(seed + 1000, static_cast<uint64_t>(lag) << 32);
  Recall r = make_recall(lag, count, rng);
  return 100 * mean(equal(argmax(reader(r.x).value(), 1), r.y).to(heed::DType::f64)).item();
}

// Gradient by distance: the norm of d(correct logit) / d(state d steps before the end) for d = 0, 1, .., divided by its
// value at d = 0. The state is h; for an LSTM h and c together. We take the logit and not the loss: the gradient of the
// loss has one more factor, the same at all distances, which goes to 0 when the task is learned.
template <class Cell>
std::vector<double> heard(const Reader<Cell>& reader, int64_t lag, uint64_t seed) {
  heed::Generator rng(seed + 2000);
  Recall r = make_recall(lag, 64, rng);
  auto states = steps(reader.cell(), r.x);
  std::vector<Variable> all;
  for (auto state = states.rbegin(); state != states.rend(); ++state)
    for (Variable* part : nn::parts(*state)) all.push_back(*part);
  Variable logits = reader.name(*nn::parts(states.back())[0]);
  std::vector<Variable> gradients = grad({sum(gather(logits, 1, r.y.unsqueeze(1)))}, all, {.allow_unused = true});
  size_t width = all.size() / states.size();
  std::vector<double> norms(states.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (gradients[i].defined())
      norms[i / width] =
          std::hypot(norms[i / width], std::sqrt(sum(square(gradients[i].value().to(heed::DType::f64))).item()));
  for (size_t d = norms.size(); d-- > 0;) norms[d] /= norms[0];
  return norms;
}

template <class Cell>
Outcome learn(const std::string& name, typename Cell::Options o, const Training& t, const std::vector<int64_t>& lags,
              int64_t heard_lag = 0) {
  heed::Generator start(t.seed, 1 << 20), data(t.seed, 1ull << 40);
  o.input = kSymbols + 1;
  Reader<Cell> reader(o, start);
  Variable& w = reader.layer.cells[0].weight_hh;
  if (t.stretch != 0) w.set_value(nn::init::orthogonal(w.shape(), start, t.stretch));
  Outcome out;
  out.rate = t.rate;
  out.name = name;
  out.parameters = nn::count_parameters(reader);
  if (heard_lag) out.before = heard(reader, heard_lag, t.seed);
  nn::Adam adam(nn::named_parameters(reader), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "sequences"});
  for (int64_t s = 0; s < t.steps; ++s) {
    Recall r = make_recall(t.shortest + data.below(t.longest - t.shortest + 1), 32, data);
    adam.zero_grad();
    Variable loss = cross_entropy(reader(r.x), r.y);
    backward(loss);
    out.norms.push_back(nn::clip_grad_norm(adam.parameters(), t.clip > 0 ? t.clip : 1e30));
    adam.step();
    out.losses.push_back(loss.item());
    progress.step({.loss = loss.item(), .items = 32});
  }
  progress.finish();
  for (int64_t lag : lags) out.right.push_back(percent_right(reader, lag, t.seed));
  if (heard_lag) out.after = heard(reader, t.longest, t.seed);
  return out;
}

// A comparison of cells: each at several learning rates, with the same sequences and the same random seed.
struct Contest {
  std::vector<double> rates;
  std::vector<std::vector<Outcome>> tried;  // [cell][rate]
  std::vector<Outcome> best;                // [cell]: the rate with the smallest loss at the end of training
};

template <class Cell>
void enter(Contest& contest, const std::string& name, const typename Cell::Options& options, Training t,
           const std::vector<int64_t>& lags, int64_t heard_lag) {
  std::vector<Outcome> outcomes;
  for (double rate : contest.rates) {
    t.rate = rate;
    outcomes.push_back(learn<Cell>(name, options, t, lags, heard_lag));
  }
  auto smaller = [](const Outcome& a, const Outcome& b) { return a.last_loss() < b.last_loss(); };
  contest.best.push_back(*std::min_element(outcomes.begin(), outcomes.end(), smaller));
  contest.tried.push_back(outcomes);
}

}  // namespace recurrent
