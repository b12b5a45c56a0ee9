// The task of rare words. Each of V words is always followed by the same other word, and a network learns which. Word
// number k makes up the share k^-s / sum_j j^-s of the text: Zipf's law for s = 1, equal shares for s = 0.
//
//   x [B, D] -> tanh(x W1 + b1) [B, H] -> logits [B, V]
//
// Sparse: a word is a row of V numbers, 1 at its index and 0 elsewhere (D = V). Its own weights, a column of W1, get a
// gradient only when the word occurs. Dense: a word is 32 random numbers, so every weight gets a gradient at each step.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/train/progress.h"
#include "tensor/indexing.h"
#include "tutorials/06_optimisers/rules.h"

namespace optimisers {

struct Text {
  heed::Tensor x, follower, shares;  // [V, D], [V], [V]: one row per word
  std::vector<double> up_to;         // shares summed: [V]
};

struct TextOptions {
  std::int64_t words = 100;
  double skew = 1;  // s
  bool sparse = true;
};

inline Text make_text(const TextOptions& o, heed::Generator& rng) {
  using heed::Tensor;
  std::vector<std::int64_t> follower;
  std::vector<double> shares;
  double total = 0;
  for (std::int64_t k = 0; k < o.words; ++k) {
    follower.push_back(k);
    shares.push_back(std::pow(static_cast<double>(k + 1), -o.skew));
    total += shares.back();
  }
  rng.shuffle(follower);
  Text text{Tensor::zeros({o.words, o.words}), Tensor::from(follower, {o.words}), Tensor::zeros({o.words}), {}};
  if (!o.sparse) text.x = Tensor::normal({o.words, 32}, rng);
  double sum = 0;
  for (std::int64_t k = 0; k < o.words; ++k) {
    if (o.sparse) text.x.set({k, k}, 1);
    text.shares.set({k}, shares[static_cast<std::size_t>(k)] / total);
    text.up_to.push_back(sum += shares[static_cast<std::size_t>(k)] / total);
  }
  return text;
}

struct Network : heed::nn::Module {
  heed::nn::Linear first, second;
  Network(std::int64_t in, std::int64_t words, heed::Generator& rng)
      : first({.in = in, .out = 32}, rng), second({.in = 32, .out = words}, rng) {}
  heed::Variable operator()(const heed::Variable& x) const { return second(tanh(first(x))); }
  void visit(heed::nn::Visitor& v) {
    v.child("first", first);
    v.child("second", second);
  }
};

struct Run {
  std::int64_t steps = 0;  // until the goal; the limit if it was not reached
  bool reached = false;
  double rate = 0;
  std::vector<double> losses;  // before each step: the mean over the whole text, each word by its share
};

struct RunOptions {
  double goal = 0.1;
  std::int64_t limit = 500, batch = 64;
  std::uint64_t seed = 1;                        // of the first weights and of the batches
  const heed::nn::Schedule* schedule = nullptr;  // in place of a constant rate
};

inline Run train(const Text& text, const Rule& rule, double rate, const RunOptions& o) {
  using namespace heed;
  Generator rng(o.seed, /*offset=*/1 << 20);
  Network network(text.x.size(1), text.x.size(0), rng);
  auto optimizer = rule.make(nn::named_parameters(network), rate);
  Run run{.steps = o.limit, .reached = false, .rate = rate, .losses = {}};
  for (std::int64_t step = 0; step <= o.limit; ++step) {
    {
      NoGrad guard;
      Variable each = cross_entropy(network(text.x), text.follower, {.reduction = Reduction::none});  // [V]
      run.losses.push_back(sum(each * Variable(text.shares)).item());
    }
    run.reached = run.losses.back() <= o.goal;
    if (run.reached) run.steps = step;
    if (run.reached || !std::isfinite(run.losses.back()) || step == o.limit) break;
    std::vector<std::int64_t> drawn;
    for (std::int64_t i = 0; i < o.batch; ++i) {
      auto place = std::upper_bound(text.up_to.begin(), text.up_to.end() - 1, rng.uniform());
      drawn.push_back(place - text.up_to.begin());
    }
    Tensor batch = Tensor::from(drawn, {o.batch});
    optimizer->zero_grad();
    Variable logits = network(heed::index_select(text.x, 0, batch));  // [B, V]
    backward(cross_entropy(logits, heed::index_select(text.follower, 0, batch)));
    o.schedule ? optimizer->step(*o.schedule) : optimizer->step();
  }
  return run;
}

// The run with the fewest steps, of eight learning rates.
inline Run best_run(const Text& text, const Rule& rule, RunOptions o) {
  Run best{.steps = o.limit, .reached = false, .rate = 0, .losses = {}};
  for (double rate : rates_from(rule.first_rate, 8)) {
    Run run = train(text, rule, rate, o);
    if (!best.losses.empty() && !(run.reached && run.steps < best.steps)) continue;
    best = run;
    if (run.reached) o.limit = run.steps;  // a slower run need not be finished
  }
  return best;
}

}  // namespace optimisers
