// Luong's encoder-decoder (nn/models/luong.h; first the state, then attention), small, trained to write a sequence of
// digits backwards, or to copy it.
//
//   source [B, S + 1] with </s> -> encoder outputs [B, S + 1, 2 N] -> for each t: state -> attention -> digit
//
// All models have the same encoder, decoder, score (general) and initial parameters. Only the scope differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scopes/local_p.h"
#include "nn/data/tasks/sequences.h"
#include "nn/models/luong.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace local {

namespace nn = heed::nn;
namespace data = heed::data;
using heed::Generator, heed::Tensor, heed::Variable;

struct Setting {
  int64_t length = 35, shortest = 8, window = 3, hidden = 48, steps = 1200;
  int64_t widest = 36;  // D of local-p at the start of training
  double rate = 5e-3;
  uint64_t seed = 1;
};

enum class Direction { backwards, forwards };

inline data::Task make_task(const Setting& s, Direction direction) {
  data::SequenceOptions o{.symbols = 10, .lengths = {s.shortest, s.length}, .held_out_lengths = {s.length, s.length}};
  o.parts = {.train = 10000, .validation = 100, .test = 200, .seed = s.seed};
  return direction == Direction::backwards ? data::reverse_task(o) : data::copy_task(o);
}

inline data::Batch first_of(const std::vector<data::EncodedPair>& pairs, int64_t count) {
  std::vector<int64_t> members(static_cast<size_t>(count));
  std::iota(members.begin(), members.end(), 0);
  return data::make_batch(pairs, members);
}

struct Outcome {
  std::string scope;
  double right = 0;               // correct digits of the test under teacher forcing, in %
  std::vector<double> by_place;   // the same for each t
  double looked_at = 0;           // mean number of positions with a weight above 0, of S + 1
  double largest = 0;             // mean of each row's largest weight
  std::vector<double> centres;    // local-p: mean p_t for each t
  std::vector<Tensor> snapshots;  // weights [T, S + 1] of the first test sequence, at eight moments of the training
  std::vector<int64_t> steps;     // the training steps of the snapshots
  std::vector<double> at, curve;  // training step, correct digits in %
};

// Measures the model on the test sequences, under teacher forcing.
inline void judge(const nn::Luong& model, const data::Batch& test, int64_t step, Outcome& out) {
  heed::NoGrad guard;
  Variable weights;  // [B, T, S + 1]
  Tensor said = argmax(model(test.source, test.lengths, test.target_in, &weights).value(), 2);
  Tensor right = equal(said, test.target_out).to(heed::DType::f64);  // [B, T]; the last is </s>
  int64_t digits = said.size(1) - 1;
  Tensor by_place = mul(sum(right.slice(1, 0, digits), {0}), 100.0 / static_cast<double>(said.size(0)));  // [T]
  out.by_place = by_place.to_vector();
  out.right = mean(by_place).item();
  Tensor w = weights.value().slice(1, 0, digits);
  out.looked_at = mean(sum(greater(w, 0).to(heed::DType::f64), {2})).item();
  out.largest = mean(amax(w.to(heed::DType::f64), {2})).item();
  out.snapshots.push_back(w.select(0, 0).clone());
  out.steps.push_back(step);
  out.at.push_back(static_cast<double>(step)), out.curve.push_back(out.right);
}

// A window that is wide first and then narrows: D is `widest` for the first quarter of the steps, then shrinks by equal
// factors, and is `window` from three quarters of the steps on.
inline int64_t window_at(const Setting& s, int64_t step) {
  double done = static_cast<double>(step) / static_cast<double>(s.steps);
  double way = std::clamp((done - 0.25) / 0.5, 0.0, 1.0);
  auto from = static_cast<double>(std::max(s.widest, s.window)), to = static_cast<double>(s.window);
  return std::lround(from * std::pow(to / from, way));
}

inline Outcome learn(const std::string& scope, const Setting& s, Direction direction) {
  data::Task task = make_task(s, direction);
  std::vector<data::EncodedPair> train = task.encode(task.train), held = task.encode(task.test);
  data::Batch test = first_of(held, 200);
  nn::Luong::Options o;
  o.source = {task.source.size(), 16}, o.target = {task.target.size(), 16};
  o.encoder.hidden = o.decoder.hidden = s.hidden, o.start = "last", o.dropout = 0;
  o.attention.score.name = "general";
  o.attention.scope = {.name = scope};
  if (scope != "global") o.attention.scope.settings = {{"window", s.window}};
  Generator start(s.seed), pick(s.seed, 1ull << 40);
  nn::Luong model(o, start);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = s.rate});
  Outcome out;
  out.scope = scope;
  auto* predicted = dynamic_cast<nn::LocalPScope*>(model.attention.scope.get());
  nn::Progress progress(s.steps, {.label = scope, .unit = "sequences"});
  for (int64_t step = 0; step <= s.steps; ++step) {
    if (predicted) predicted->width = window_at(s, step);
    if (step % (s.steps / 8) == 0 || step == s.steps) judge(model, test, step, out);
    if (step == s.steps) break;
    std::vector<int64_t> members(32);
    for (int64_t& m : members) m = pick.below(std::ssize(train));
    data::Batch b = data::make_batch(train, members);
    // The learning rate falls with the window: constant for a quarter of the steps, then to 0 in a straight line.
    adam.learning_rate =
        s.rate * std::min(1.0, 1.33 * static_cast<double>(s.steps - step) / static_cast<double>(s.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = 32});
  }
  progress.finish();
  if (predicted) {
    heed::NoGrad guard;
    auto [source, state] = model.encode(test.source, test.lengths);
    for (int64_t t = 0; t < s.length; ++t) {
      state = model.step(model.embed(test.target_in.select(1, t)), state, source).state;
      Variable query = unsqueeze(model.decoder.top(state), 1);
      out.centres.push_back(
          mean(predicted->centre(query, {.queries = 1, .keys = s.length + 1, .lengths = test.lengths}).value()).item());
    }
  }
  return out;
}

}  // namespace local
