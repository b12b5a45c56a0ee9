// The layer of layer.h in a language model of one layer, trained on three tasks, each of which asks for one ability:
//
// clang-format off
//   rewritten   a 3  c 1  a 7  ?  c 1  a 7     8 keys; one that is written again has its new value
//                                 1    7       trained with up to 16 pairs, tested with up to 64
//   parity      1 0 1 1 0                      is the number of ones so far odd?
//               1 1 0 1 1                      trained with up to 16 bits, tested with up to 256
//   recall      a 3  c 1  b 7  c 1  a 3  b 7   32 keys, each written once: how many pairs fit
//                              1    3    7     into a state of K x D numbers?
// clang-format on
//
// The second line of each is the answers that are asked for, and they alone count in the loss
// (nn/data/tasks/abilities.h). Every batch is drawn anew.
#pragma once

#include <algorithm>
#include <map>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/data/tasks/abilities.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/train/progress.h"
#include "nn/transformer/language_model.h"
#include "tutorials/32_without_softmax/layer.h"

namespace without_softmax {

using heed::data::AbilityTask, heed::data::AbilitySequence, heed::data::AbilityBatch;

// ids: keys 1 .. 8, values 9 .. 24, the bar 25
inline AbilityTask rewriting() {
  constexpr int64_t kKeys = 8, kValues = 16;
  auto draw = [](int64_t pairs, heed::Generator& rng) {
    AbilitySequence s;
    auto add = [&](int64_t word, int64_t answer) { s.words.push_back(word), s.answers.push_back(answer); };
    std::map<int64_t, int64_t> last;  // key, the value written last
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t key = 1 + rng.below(kKeys), value = 1 + kKeys + rng.below(kValues);
      last[key] = value;
      add(key, 0), add(value, 0);
    }
    add(1 + kKeys + kValues, 0);
    std::vector<int64_t> asked;
    for (const auto& pair : last) asked.push_back(pair.first);
    rng.shuffle(asked);
    for (int64_t key : asked) add(key, last[key]), add(last[key], 0);
    return s;
  };
  return {"rewritten", "pairs", 2 + kKeys + kValues, {1, 16}, {8, 16, 32, 64}, 100.0 / kValues, draw};
}
inline AbilityTask counting() {
  AbilityTask task = heed::data::ability("parity", {.longest = 8});
  task.tested = {16, 32, 64, 256};
  return task;
}
inline AbilityTask recalling() {
  AbilityTask task = heed::data::ability("recall", {.symbols = 32, .longest = 16});
  task.tested = {4, 8, 16};
  return task;
}

struct Setting {
  int64_t steps = 500, batch = 32, width = 32;
  Keys keys = {};
  double rate = 3e-3;
  uint64_t seed = 1;
};

inline double right_of(const nn::LanguageModel& model, const AbilityTask& task, int64_t size, heed::Generator rng) {
  heed::NoGrad no_graph;
  nn::Evaluating evaluating;
  const AbilityBatch b = heed::data::ability_batch(task, size, 200, rng);
  const Tensor best = argmax(model(b.words).value(), -1);  // [B, T]
  const int64_t *wanted = b.answers.data<int64_t>(), *found = best.data<int64_t>();
  double right = 0, all = 0;
  for (int64_t i = 0; i < b.words.count(); ++i)
    if (wanted[i] != 0) right += wanted[i] == found[i], ++all;
  return 100 * right / all;
}

// What the layer does to the state along the key of each word of the vocabulary: a_t (1 - b_t). Of a model of one
// layer.
inline Numbers factors_of(const nn::LanguageModel& model, int64_t vocabulary) {
  heed::NoGrad no_graph;
  nn::Evaluating evaluating;
  Numbers factors;
  const auto& layer = model.decoder.layers[0];
  for (int64_t word = 1; word < vocabulary; ++word) {
    const Variable x = layer.norm1(model.embedding(Tensor::full({1, 1}, static_cast<double>(word), heed::DType::i64)));
    const nn::DecayedSums w = dynamic_cast<const RuleLayer&>(*layer.mixer).words_of(x);
    const double a = w.decay.defined() ? std::exp(w.decay.item()) : 1, b = w.strength.defined() ? w.strength.item() : 0;
    factors.push_back(a * (1 - b));
  }
  return factors;
}

struct Learned {
  std::string rule;
  Numbers losses, right, factors;  // of each step; % for each tested size; for each word
};

inline Learned learn(const Rule& rule, const AbilityTask& task, const Setting& s) {
  heed::Generator first(s.seed, 1 << 20), drawn(s.seed, 1 << 21), asked(s.seed, 1 << 22);
  nn::TransformerOptions o{.target_vocabulary = task.vocabulary,
                           .model = s.width,
                           .heads = 1,
                           .inner = 2 * s.width,
                           .decoder_layers = 1,
                           .norm_first = true,
                           .dropout = 0,
                           .tie = "target"};
  o.positions = "none", o.mixers = "average";  // its place is taken by our layer
  nn::LanguageModel model(o, first);
  model.decoder.layers[0].mixer = std::make_unique<RuleLayer>(rule, s.width, s.keys, first);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = s.rate});
  nn::WarmupCosine schedule({.peak = s.rate, .warmup = std::max<int64_t>(1, s.steps / 20), .total = s.steps});
  Learned out{.rule = rule.name, .losses = {}, .right = {}, .factors = {}};
  for (int64_t step = 0; step < s.steps; ++step) {
    const int64_t size = task.trained.least + drawn.below(task.trained.most - task.trained.least + 1);
    const AbilityBatch b = heed::data::ability_batch(task, size, s.batch, drawn);
    adam.zero_grad();
    Variable loss = cross_entropy(model(b.words), b.answers, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step(schedule);
    out.losses.push_back(loss.item());
  }
  for (int64_t size : task.tested) out.right.push_back(right_of(model, task, size, asked));
  if (!rule.softmax) out.factors = factors_of(model, task.vocabulary);
  return out;
}

}  // namespace without_softmax
