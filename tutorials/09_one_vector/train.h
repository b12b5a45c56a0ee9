// Trains a network on "ten pairs, one key asked" and tests it by the number of pairs.
#pragma once

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/09_one_vector/reader.h"

namespace onevector {

namespace data = heed::data;

struct Training {
  int64_t steps = 1500, batch = 64, pairs = 10;
  double rate = 0.005;
  uint64_t seed = 1;
};
struct Outcome {
  std::string name;
  int64_t parameters = 0;
  std::vector<double> losses = {}, right = {};  // right: %, by the number of pairs, from 1
};

// `count` examples with `least` to `most` pairs; training and test use separate streams of random numbers.
inline data::QueryTask pairs_task(int64_t least, int64_t most, int64_t count, uint64_t seed) {
  return data::key_value_query_task(
      {.pairs = {least, most}, .parts = {.train = count, .validation = 0, .test = 500, .seed = seed}});
}

inline double percent_right(const Reader& reader, const data::QueryBatch& b) {
  heed::NoGrad guard;
  Tensor named = argmax(reader(b.sequence, b.lengths, b.query).logits.value(), 1);
  return 100 * mean(Variable(equal(named, b.labels).to(heed::DType::f64))).item();
}
inline data::QueryBatch all_of(const data::QueryTask& task, const std::vector<data::QueryExample>& examples) {
  std::vector<int64_t> members(examples.size());
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int64_t>(i);
  return query_batch(task, examples, members);
}

inline Outcome learn(const std::string& name, Reader& reader, const Training& t) {
  data::QueryTask task = pairs_task(1, t.pairs, 20000, t.seed);
  heed::Generator order(t.seed, 1ull << 40);
  Outcome out{.name = name, .parameters = nn::count_parameters(reader)};
  nn::Adam adam(nn::named_parameters(reader), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "sequences"});
  for (int64_t s = 0; s < t.steps; ++s) {
    std::vector<int64_t> members;
    for (int64_t i = 0; i < t.batch; ++i) members.push_back(order.below(std::ssize(task.train)));
    data::QueryBatch b = query_batch(task, task.train, members);
    adam.zero_grad();
    Variable loss = cross_entropy(reader(b.sequence, b.lengths, b.query).logits, b.labels);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    out.losses.push_back(loss.item());
    progress.step({.loss = loss.item(), .items = t.batch});
  }
  progress.finish();
  for (int64_t pairs = 1; pairs <= t.pairs; ++pairs) {
    data::QueryTask asked = pairs_task(pairs, pairs, 0, t.seed);
    out.right.push_back(percent_right(reader, all_of(asked, asked.test)));
  }
  return out;
}

// The comparison: networks that differ in how they pool, and in when they receive the question.
struct Entry {
  Reader reader;
  Outcome outcome;
};

enum class Entrants { few, all };

// `like`: the sizes that all networks share.
inline std::vector<Entry> hold_contest(const ReaderOptions& like, const Training& training, Entrants entrants) {
  struct Kind {
    std::string name, pooling;
    bool question_first = false, among_few = false;
  };
  const std::vector<Kind> kinds{{"last", "lasttoken"},
                                {"sum", "sum"},
                                {"mean", "mean", false, true},
                                {"weighted", "weightedmean"},
                                {"max", "max"},
                                {"attention, learned query", "attention", false, true},
                                {"mean, question first", "mean", true},
                                {"last, question first", "lasttoken", true},
                                {"attention, question as query", "asked", false, true}};
  std::vector<Entry> entries;
  for (const Kind& kind : kinds) {
    if (entrants == Entrants::few && !kind.among_few) continue;
    heed::Generator rng(training.seed, 1 << 20);  // the same seed for all
    ReaderOptions options = like;
    options.pooling = kind.pooling, options.question_first = kind.question_first;
    Reader reader(options, rng);
    Outcome outcome = learn(kind.name, reader, training);
    entries.push_back({std::move(reader), std::move(outcome)});
  }
  return entries;
}
inline Entry& find(std::vector<Entry>& entries, const std::string& name) {
  return *std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.outcome.name == name; });
}

}  // namespace onevector
