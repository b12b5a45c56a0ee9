// A small encoder-decoder, its training, and its accuracy with two kinds of input.
//
//   teacher forcing   p(y_t | y_1 .. y_{t-1}, source): the previous words are those of the reference
//   free running      p(y_t | w_1 .. w_{t-1}, source): the previous words are the model's own predictions
//
// The difference measures exposure bias: in training the model is never exposed to its own mistakes. (S. Bengio et al.,
// "Scheduled sampling", 2015.)
#pragma once

#include <functional>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/data/tasks/tasks.h"
#include "nn/models/bahdanau.h"
#include "nn/models/fixed_vector.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "nn/train/scheduled_sampling.h"
#include "tensor/reduce.h"

namespace heed {

using Pairs = std::vector<data::EncodedPair>;

struct Practice {
  std::string name = "step";
  int64_t steps = 1500, batch = 64;
  double rate = 3e-3;
  std::function<double(int64_t step)> truth = {};  // share of true input words at a step; empty: always the true ones
};
template <class M>
void practise(M& model, const Pairs& pairs, const Practice& t, Generator& rng) {
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = t.name, .unit = "words"});
  nn::set_training(model, true);
  for (int64_t step = 0; step < t.steps; ++step) {
    std::vector<int64_t> members;
    for (int64_t b = 0; b < t.batch; ++b) members.push_back(rng.below(std::ssize(pairs)));
    data::Batch batch = data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - static_cast<double>(step) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable logits =
        t.truth ? nn::scheduled_logits(model, batch.source, batch.lengths, batch.target_in, t.truth(step), rng)
                : model(batch.source, batch.lengths, batch.target_in);
    Variable loss = cross_entropy(logits, batch.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = batch.tokens});
  }
  nn::set_training(model, false);
}

// Sums of loss and of correct words at each position of the target, </s> included.
struct ByPlace {
  std::vector<double> loss, right, count;
  double mean_loss() const { return of(loss); }
  double percent() const { return 100 * of(right); }
  double of(const std::vector<double>& sums) const {
    return std::accumulate(sums.begin(), sums.end(), 0.0) / std::accumulate(count.begin(), count.end(), 0.0);
  }
};
using Logits = std::function<Variable(const data::Batch&)>;  // of a batch, [B, T, V]
inline ByPlace measure(const Logits& logits, const Pairs& pairs) {
  NoGrad guard;
  ByPlace result;
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    Tensor log_p = log_softmax(logits(b)).value();
    Tensor best = argmax(log_p, -1);  // [B, T]
    for (int64_t i = 0; i < best.size(0); ++i)
      for (int64_t t = 0; t < best.size(1); ++t) {
        int64_t word = static_cast<int64_t>(b.target_out.at({i, t}));
        if (word == 0) continue;
        if (auto at = static_cast<size_t>(t); result.count.size() <= at)
          result.loss.resize(at + 1), result.right.resize(at + 1), result.count.resize(at + 1);
        result.loss[static_cast<size_t>(t)] -= log_p.at({i, t, word});
        result.right[static_cast<size_t>(t)] += static_cast<int64_t>(best.at({i, t})) == word;
        result.count[static_cast<size_t>(t)] += 1;
      }
  }
  return result;
}

inline ByPlace with_true_words(const nn::EncoderDecoder& model, const Pairs& pairs) {  // teacher forcing
  return measure([&](const data::Batch& b) { return model(b.source, b.lengths, b.target_in); }, pairs);
}
template <class M>
ByPlace with_own_words(const M& model, const Pairs& pairs) {  // free running
  Generator rng(1);
  return measure(
      [&](const data::Batch& b) { return nn::scheduled_logits(model, b.source, b.lengths, b.target_in, 0, rng); },
      pairs);
}

struct WriterOptions {
  int64_t hidden = 48, steps = 1000;
  double last_truth = 1;  // the share of true input words falls to this value in a straight line
};
struct Writer {
  std::string name;
  std::unique_ptr<nn::EncoderDecoder> model;
  ByPlace truth, own;  // under teacher forcing, in free running
  double gap() const { return truth.percent() - own.percent(); }
};
template <class M>  // the paper
Writer train_writer(const data::Task& task, const std::string& name, const WriterOptions& o, uint64_t seed) {
  Generator first(seed, /*offset=*/1 << 20), rng(seed, /*offset=*/1 << 24);
  typename M::Options options;
  options.source = {task.source.size(), 32}, options.target = {task.target.size(), 32};
  options.encoder.hidden = options.decoder.hidden = o.hidden, options.dropout = 0;
  auto model = std::make_unique<M>(options, first);
  Practice p{.name = name, .steps = o.steps};
  double slope = (1 - o.last_truth) / static_cast<double>(o.steps);
  if (o.last_truth < 1) p.truth = [=](int64_t step) { return nn::linear_decay(step, slope, o.last_truth); };
  practise(*model, task.encode(task.train), p, rng);
  const Pairs test = task.encode(task.test);
  ByPlace truth = with_true_words(*model, test), own = with_own_words(*model, test);
  return {name, std::move(model), truth, own};
}

}  // namespace heed
