// Gradient accumulation: one training step from several micro-batches, done right and in three other ways.
//
// clang-format off
//   accumulated     loss = (1/N) sum over all words of -log p(word)     N: words of the whole step
//   mean of means   loss = (1/k) sum over micro-batches of their mean   short ones count too much
//   clip each time  gradients are clipped after each micro-batch, and not once per step
//   step each time  the optimiser takes a step after each micro-batch: k small steps
// clang-format on
//
// The sentences of a step are sorted by length and then divided, as data loaders do it to avoid padding. The parts have
// equally many sentences, but not equally many words.
//
// B lines, T words, V vocabulary, k micro-batches.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "nn/optim/decay.h"
#include "tensor/allocator.h"
#include "tensor/matmul.h"
#include "tutorials/27_decoder/model.h"

namespace scale {

namespace nn = heed::nn;
using heed::Variable, heed::Tensor;
using speaking::Grammar, speaking::Lines, speaking::Sentences;

struct Way {
  std::string name;
  int64_t parts = 1;  // k
  bool mean_of_means = false, clip_each = false, step_each = false;
  double dropout = 0;
  std::string activation = "gelu";
  heed::DType dtype = heed::DType::f32;
  bool other_numbers = false;                        // other random numbers for dropout
  uint64_t more_seed = 0;                            // added to the seed: other parameters and sentences
  heed::Precision precision = heed::Precision::f32;  // of the products of a step
  bool bf16_parameters = false;                      // the parameters are rounded after each step, too
};

struct Run {
  std::vector<double> losses;     // of each step: nats per word of the step's batch, before the step
  std::vector<double> norms;      // of the gradients, before they are clipped
  std::vector<double> by_length;  // loss on new sentences after training: the shortest quarter of them, .., the longest
  int64_t peak = 0;               // most bytes alive during a step, in addition to those before it
};

struct Setting {
  int64_t steps = 100, batch = 48, model = 32, layers = 2;
  double rate = 3e-3, clip = 1;
  uint64_t seed = 1;
};

// The sentences of one step, sorted by length and cut into k parts of equally many sentences.
inline std::vector<Sentences> micro_batches(Sentences batch, int64_t k) {
  std::stable_sort(batch.begin(), batch.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<Sentences> parts;
  for (int64_t i = 0; i < k; ++i)
    parts.emplace_back(batch.begin() + std::ssize(batch) * i / k, batch.begin() + std::ssize(batch) * (i + 1) / k);
  return parts;
}

inline void round_to_bf16(const std::vector<heed::NamedVariable>& parameters) {
  for (const heed::NamedVariable& p : parameters) {
    Tensor w = p.variable.value();
    for (int64_t i = 0; i < w.count(); ++i) w.data<float>()[i] = heed::from_bf16(heed::to_bf16(w.data<float>()[i]));
    w.mark_written("round_to_bf16");
  }
}

// One step. Returns the loss of the whole batch per word, however the gradient was computed.
inline double step(nn::LanguageModel& m, nn::Adam& adam, const std::vector<Sentences>& parts, const Way& way,
                   const Setting& s, double* norm) {
  int64_t tokens = 0;
  for (const Sentences& part : parts) tokens += speaking::words_of(part);
  auto k = static_cast<int64_t>(parts.size());
  auto finish = [&] {
    *norm = nn::clip_grad_norm(adam.parameters(), s.clip);
    adam.step();
    if (way.bf16_parameters) round_to_bf16(adam.parameters());
    adam.zero_grad();
  };
  double value = 0;
  heed::PrecisionScope precision(way.precision);  // forward and backward
  for (const Sentences& part : parts) {
    Lines lines = speaking::lines_of(part);
    Variable sum = cross_entropy(m(lines.in), lines.out,
                                 {.ignore_index = speaking::Vocabulary::pad, .reduction = heed::Reduction::sum});
    value += sum.item() / static_cast<double>(tokens);
    int64_t divisor = way.mean_of_means || way.step_each ? speaking::words_of(part) : tokens;
    if (way.mean_of_means) divisor *= k;
    backward(sum / static_cast<double>(divisor));
    if (way.clip_each) nn::clip_grad_norm(adam.parameters(), s.clip);
    if (way.step_each) finish();
  }
  if (!way.step_each) finish();
  return value;
}

// The same sentences in the same order for every way.
inline Run train(const Grammar& g, const Way& way, const Setting& s, const Sentences& test = {}) {
  heed::Generator rng(s.seed + way.more_seed), dice(s.seed + way.more_seed, 1ull << 40);
  nn::TransformerOptions options = speaking::options_of(g, s.model, s.layers);
  options.dropout = way.dropout, options.activation = way.activation;
  nn::LanguageModel m(options, rng);
  nn::convert(m, way.dtype);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = s.rate});
  if (way.other_numbers) {
    heed::NoGrad guard;
    m(Tensor::from(std::vector<int64_t>{speaking::Vocabulary::start}, {1, 1}));  // draws some, which moves the others
  }
  Run run;
  for (int64_t t = 0; t < s.steps; ++t) {
    std::vector<Sentences> parts = micro_batches(speaking::draw(g, s.batch, dice), way.parts);
    auto before = static_cast<int64_t>(heed::allocator_stats().live_bytes);
    heed::reset_peak();
    run.norms.push_back(0);
    run.losses.push_back(step(m, adam, parts, way, s, &run.norms.back()));
    if (t > 0) run.peak = std::max(run.peak, static_cast<int64_t>(heed::allocator_stats().peak_bytes) - before);
  }
  heed::nn::set_training(m, false);
  if (!test.empty())
    for (const Sentences& quarter : micro_batches(test, 4)) run.by_length.push_back(speaking::mean_loss(m, quarter));
  return run;
}

}  // namespace scale
