// Lesson 19's models: Bahdanau's encoder-decoder (nn/models/bahdanau.h) with several kinds of attention, trained on
// short sequences and asked to write longer ones.
//
//   e_ts = v . tanh(W q_t + V k_s + U f_ts + b)      f: what the score reads of the coverage, or nothing
//   c_t  = sum_{t' < t} a_t'                         the coverage                                    [B, S]
//   loss = cross-entropy + lambda mean_t sum_s min(a_ts, c_ts)        lambda = 0 in the first part of training
//
// See, Liu and Manning (ACL 2017) add the coverage loss late, because a model that has it from the beginning learns to
// spread its weights instead of the task. All symbols of a sequence are different, so a symbol that is written twice is
// a repetition and never a right answer. B sequences, T target and S source positions.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "autograd/ops_softmax.h"
#include "nn/attention/coverage.h"
#include "nn/models/bahdanau.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/penalties.h"
#include "nn/text/vocabulary.h"
#include "nn/train/attention_penalties.h"
#include "nn/train/progress.h"
#include "tutorials/common/copy_contest.h"

namespace coverage {

namespace app = heed::app;
namespace data = heed::data;
namespace nn = heed::nn;

struct Training {
  int64_t symbols = 48, batch = 32, steps = 800, hidden = 64;
  data::Range lengths{4, 12};
  bool reversed = false;      // the target in reverse order
  double rate = 5e-3;         // Adam's; falls to 0 in a straight line
  double lambda = 1;          // weight of the coverage loss
  double without_loss = 0.7;  // the share of the steps before the coverage loss is added
  uint64_t seed = 1;
};

struct Kind {
  std::string name, score = "additive", normaliser = "softmax";
  nn::SettingValues of_score = {}, of_normaliser = {};
  bool penalised = false;  // with the coverage loss
};
inline const nn::SettingValues kWalk{{"noise", 1}, {"hard", 1}};
inline const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{.name = "no coverage"},
                                     {.name = "coverage loss", .penalised = true},
                                     {.name = "coverage input and loss",
                                      .score = "location_aware",
                                      .of_score = {{"kernel", 1}, {"filters", 1}, {"cumulative", 1}},
                                      .penalised = true},
                                     {.name = "coverage, neighbours",
                                      .score = "location_aware",
                                      .of_score = {{"kernel", 3}, {"filters", 4}, {"cumulative", 1}}},
                                     {.name = "last weights",
                                      .score = "location_aware",
                                      .of_score = {{"kernel", 3}, {"filters", 4}, {"cumulative", 0}}},
                                     {.name = "monotonic", .normaliser = "monotonic", .of_normaliser = kWalk},
                                     {.name = "MoChA", .normaliser = "mocha", .of_normaliser = kWalk},
                                     {.name = "plain mean", .normaliser = "even"}};
  return all;
}
inline const Kind& kind_called(const std::string& name) {
  return *std::find_if(kinds().begin(), kinds().end(), [&](const Kind& k) { return k.name == name; });
}

inline data::Task task_of(const Training& t, data::Range lengths, data::TaskParts parts) {
  data::SequenceOptions o{.symbols = t.symbols, .lengths = lengths, .distinct = true, .parts = parts};
  return t.reversed ? data::reverse_task(o) : data::copy_task(o);
}

// The encoder reads in one direction, and the decoder begins with zeros: it receives the source through attention
// only.
inline nn::Bahdanau::Options options_of(const Kind& k, const Training& t) {
  auto o = app::copier_options<nn::Bahdanau>(t.hidden);
  o.encoder.bidirectional = false, o.start = "zeros";
  o.attention.score = {.name = k.score, .settings = k.of_score};
  o.attention.normaliser = {.name = k.normaliser, .settings = k.of_normaliser};
  return o;
}

inline nn::Bahdanau learn(const Kind& kind, const Training& t) {
  data::Task task = task_of(t, t.lengths, {.train = t.steps * t.batch, .validation = 0, .test = 0, .seed = t.seed});
  nn::Bahdanau::Options options = options_of(kind, t);
  options.source.vocabulary = task.source.size(), options.target.vocabulary = task.target.size();
  heed::Generator rng(t.seed, 1 << 20);
  nn::Bahdanau model(options, rng);
  auto pairs = task.encode(task.train);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = kind.name + (t.reversed ? ", reversed" : ""), .unit = "symbols"});
  double step = 0;
  const auto steps = static_cast<double>(t.steps);
  for (const auto& members : data::epoch_batches(pairs, t.batch, t.seed, 1)) {  // every sequence once
    data::Batch b = data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - step / steps);
    const nn::AttentionPenalties wanted{.coverage_loss =
                                            kind.penalised && step >= t.without_loss * steps ? t.lambda : 0};
    nn::Penalties penalties;   // receives the coverage loss
    heed::Variable alignment;  // [B, T, S]
    adam.zero_grad();
    heed::Variable logits = model(b.source, b.lengths, b.target_in, wanted.any() ? &alignment : nullptr);
    wanted.add(alignment, b.target_in, b.lengths);
    heed::Variable loss = cross_entropy(logits, b.target_out, {.ignore_index = 0});
    double of_words = loss.item();
    if (!penalties.empty()) loss = loss + penalties.total();
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = of_words, .items = b.tokens});
    ++step;
  }
  progress.finish();
  nn::set_training(model, false);
  return model;
}

// ---- its outputs ----------------------------------------------------------------------------------------------------
// Greedy decoding of as many symbols as the target has: neither fewer nor more, so that a model cannot avoid
// repetitions by stopping early.
inline std::vector<nn::Hypothesis> written_by(const nn::Bahdanau& model, const std::vector<data::EncodedPair>& pairs) {
  heed::NoGrad guard;
  std::vector<int64_t> members(pairs.size());
  for (size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int64_t>(i);
  data::Batch b = data::make_batch(pairs, members);
  const int64_t length = std::ssize(pairs[0].target) - (pairs[0].target.back() == heed::text::Vocabulary::stop);
  nn::SearchOptions o;
  o.max_lengths.assign(pairs.size(), length), o.constraints.min_length = length;
  return nn::greedy(*model.search(b.source, b.lengths), o);
}

inline heed::Tensor weights_of(const nn::Hypothesis& h, int64_t steps) {  // [steps, S]
  std::vector<float> flat;
  for (int64_t t = 0; t < steps; ++t) {
    const std::vector<float>& row = h.weights[static_cast<size_t>(t)];
    flat.insert(flat.end(), row.begin(), row.end());
  }
  return heed::Tensor::from(flat, {steps, std::ssize(h.weights[0])});
}

struct Scores {
  double right = 0;     // symbols that are right at their place, %
  double repeated = 0;  // symbols that are written although they have been written before, %
  double loss = 0;      // the coverage loss of the attention weights, the mean over the steps
};
inline Scores score(const nn::Bahdanau& model, const Training& t, int64_t length, int64_t count) {
  data::Task task = task_of(t, {length, length}, {.train = 0, .validation = 0, .test = count, .seed = t.seed});
  auto pairs = task.encode(task.test);
  double right = 0, repeated = 0, all = 0, loss = 0;
  std::vector<nn::Hypothesis> found = written_by(model, pairs);
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::map<int64_t, int64_t> times;
    for (size_t p = 0; p < found[i].tokens.size(); ++p) {
      repeated += times[found[i].tokens[p]]++ > 0;
      right += found[i].tokens[p] == pairs[i].target[p];
      ++all;
    }
    heed::Variable weights(weights_of(found[i], length).unsqueeze(0));
    loss += nn::mean_coverage_loss(weights, heed::Tensor::full({1, length}, 1.0)).item();
  }
  return {100 * right / all, 100 * repeated / all, loss / static_cast<double>(pairs.size())};
}

inline const std::vector<int64_t> kLengths{8, 12, 16, 20, 24, 32, 40};
struct Entry {
  Kind kind;
  Training training;
  nn::Bahdanau model;
  std::map<int64_t, Scores> by_length;
};
inline Entry measure(const Kind& kind, const Training& t) {
  Entry e{kind, t, learn(kind, t), {}};
  for (int64_t length : kLengths) e.by_length[length] = score(e.model, t, length, 100);
  return e;
}

}  // namespace coverage
