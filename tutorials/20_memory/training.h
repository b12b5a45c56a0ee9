// Training a reader, and the questions that it answers: by the number of pairs, and with a memory whose values belong
// to other keys (control).
#pragma once

#include <algorithm>
#include <map>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/reduce.h"
#include "tutorials/20_memory/readers.h"

namespace memory {

struct Training {
  int64_t steps = 1500, batch = 32, keys = 12, values = 4;
  data::Range pairs{1, 8};
  double rate = 1e-2;  // Adam's; falls to 0 in a straight line
  uint64_t seed = 1;
};

inline data::QueryTask questions(const Training& t, data::Range pairs, data::TaskParts parts) {
  parts.seed = t.seed;
  // With a single pair there are fewer different examples than draws, so parts are drawn independently.
  parts.independent = true;
  return data::key_value_query_task({.keys = t.keys, .values = t.values, .pairs = pairs, .parts = parts});
}

// Batches in random order; all questions of a batch have the same number of pairs, so there is no padding.
inline std::vector<std::vector<int64_t>> batches_of(const data::QueryTask& task, int64_t size, Generator& rng) {
  std::map<size_t, std::vector<int64_t>> open;
  std::vector<std::vector<int64_t>> all;
  for (size_t i = 0; i < task.train.size(); ++i) {
    std::vector<int64_t>& members = open[task.train[i].keys.size()];
    members.push_back(static_cast<int64_t>(i));
    if (std::ssize(members) == size) all.push_back(std::exchange(members, {}));
  }
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[static_cast<size_t>(rng.below(static_cast<int64_t>(i)))]);
  return all;
}

struct Learned {
  std::string name;
  Reader reader;
};
inline Learned learn(const std::string& name, ReaderOptions options, const Training& t) {
  data::QueryTask task = questions(t, t.pairs, {.train = t.steps * t.batch, .validation = 0, .test = 0});
  Generator rng(t.seed, 1 << 20);
  options.vocabulary = task.symbols.size(), options.answers = task.values;
  Learned out{name, Reader(options, rng)};
  nn::Adam adam(nn::named_parameters(out.reader), {.learning_rate = t.rate});
  auto batches = batches_of(task, t.batch, rng);
  nn::Progress progress(std::ssize(batches), {.label = name, .unit = "questions"});
  double done = 0;
  for (const auto& members : batches) {
    data::QueryBatch b = query_batch(task, task.train, members);
    adam.learning_rate = t.rate * (1 - done++ / static_cast<double>(batches.size()));
    adam.zero_grad();
    Variable loss = cross_entropy(out.reader(b).logits, b.labels);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = t.batch});
  }
  progress.finish();
  nn::set_training(out.reader, false);
  return out;
}

// Right answers to 400 questions, in %. `moved`: each value is stored with the key of its neighbour, and the answer
// that counts is still the one of the true pair.
enum class Store { as_it_is, moved };
inline double right(const Reader& reader, const Training& t, int64_t pairs, Store store = Store::as_it_is) {
  heed::NoGrad guard;
  data::QueryTask task = questions(t, {pairs, pairs}, {.train = 0, .validation = 0, .test = 400});
  std::vector<int64_t> members(task.test.size());
  std::iota(members.begin(), members.end(), 0);
  Tensor labels = query_batch(task, task.test, members).labels;
  if (store == Store::moved)
    for (data::QueryExample& e : task.test) std::rotate(e.values.begin(), e.values.begin() + 1, e.values.end());
  Tensor named = argmax(reader(query_batch(task, task.test, members)).logits.value(), 1);
  double count = 0;
  for (int64_t i = 0; i < named.size(0); ++i) count += named.at({i}) == labels.at({i});
  return 100 * count / static_cast<double>(named.size(0));
}

// The accuracy of always answering with the most frequent value of the memory, the first of equals.
inline double by_frequency(const Training& t, int64_t pairs) {
  data::QueryTask task = questions(t, {pairs, pairs}, {.train = 0, .validation = 0, .test = 400});
  double count = 0;
  for (const data::QueryExample& e : task.test) {
    std::map<int64_t, int64_t> times;
    for (int64_t v : e.values) ++times[v];
    int64_t best = e.values[0];
    for (int64_t v : e.values)
      if (times[v] > times[best]) best = v;
    count += best == e.answer();
  }
  return 100 * count / static_cast<double>(task.test.size());
}

}  // namespace memory
