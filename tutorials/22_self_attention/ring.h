// A ring of words, and a model with one layer of attention that must predict the colours of two neighbours.
//
//   R words, each with a name 0 .. R-1 and a colour, in random order; embedding x = name + colour   [B, R, D]
//   targets of each word: the colour of the next name, n + 1, and of the one before, n - 1          (mod R)
//   x -> multi-head attention [B, R, D] -> two linear layers, C colours each
//
// The names form a ring, so every word is the next of one word and the one before of another. The answer depends on the
// relation of two words, and not on one word alone. There is nothing before the attention and only a linear layer after
// it.
#pragma once

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heads {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

struct Ring {
  Tensor names, colours;  // [B, R] i64
  Tensor next, before;    // [B R] i64: the colours to predict for each word
};

inline Ring make_ring(int64_t B, int64_t R, int64_t C, Generator& rng) {
  std::vector<int64_t> names, colours, next, before;
  for (int64_t b = 0; b < B; ++b) {
    std::vector<int64_t> order(static_cast<size_t>(R)), colour(static_cast<size_t>(R));
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    for (int64_t& c : colour) c = rng.below(C);
    for (int64_t n : order) {
      names.push_back(n), colours.push_back(colour[static_cast<size_t>(n)]);
      next.push_back(colour[static_cast<size_t>((n + 1) % R)]);
      before.push_back(colour[static_cast<size_t>((n + R - 1) % R)]);
    }
  }
  return {Tensor::from(names, {B, R}), Tensor::from(colours, {B, R}), Tensor::from(next, {B * R}),
          Tensor::from(before, {B * R})};
}

struct PairReaderOptions {
  int64_t ring = 8, colours = 8, width = 32, heads = 2;
  int64_t hidden = 0;  // units of a ReLU layer between attention and output; 0: no such layer
};

struct PairReader : nn::Module {
  using Options = PairReaderOptions;
  PairReader(const Options& o, Generator& rng)
      : options(o),
        names({.vocabulary = o.ring, .width = o.width, .padding = -1}, rng),
        colours({.vocabulary = o.colours, .width = o.width, .padding = -1}, rng),
        attention({.model = o.width, .heads = o.heads}, rng),
        next({.in = o.hidden ? o.hidden : o.width, .out = o.colours}, rng),
        before({.in = o.hidden ? o.hidden : o.width, .out = o.colours}, rng) {
    if (o.hidden) hidden.emplace(nn::Linear::Options{.in = o.width, .out = o.hidden}, rng);
  }
  struct Predicted {
    Variable next, before;  // logits [B R, C]
    Tensor weights;         // [B, H, R, R]; if asked for
  };
  Predicted operator()(const Ring& r, bool with_weights = false) const {
    Variable x = names(r.names) + colours(r.colours);  // [B, R, D]
    auto [read, weights] = attention(x, {.weights = with_weights});
    Variable z = reshape(read, {-1, options.width});
    if (hidden) z = relu((*hidden)(z));
    return {next(z), before(z), with_weights ? weights.value() : Tensor()};
  }
  void visit(nn::Visitor& v) {
    v.child("names", names);
    v.child("colours", colours);
    v.child("attention", attention);
    if (hidden) v.child("hidden", *hidden);
    v.child("next", next);
    v.child("before", before);
  }
  Options options;
  nn::Embedding names, colours;
  nn::MultiHeadAttention attention;
  std::optional<nn::Linear> hidden;
  nn::Linear next, before;
};

struct PairTraining {
  int64_t steps = 1500, batch = 32;
  double rate = 3e-3;
  uint64_t seed = 1;
};
struct PairOutcome {
  std::string name;
  int64_t parameters = 0;
  double next = 0, before = 0, pair = 0;  // correct answers in %, on new rings
  std::vector<double> curve;              // correct pairs in %, every kEvery steps
};
inline constexpr int64_t kEvery = 50;

inline void measure(const PairReader& reader, const Ring& r, PairOutcome& out) {
  heed::NoGrad guard;
  PairReader::Predicted predicted = reader(r);
  Tensor next = equal(argmax(predicted.next.value(), 1), r.next),
         before = equal(argmax(predicted.before.value(), 1), r.before);
  auto percent = [](const Tensor& yes) { return 100 * mean(yes.to(heed::DType::f64)).item(); };
  out.next = percent(next), out.before = percent(before), out.pair = percent(logical_and(next, before));
  out.curve.push_back(out.pair);
}

inline PairOutcome learn(const std::string& name, const PairReaderOptions& o, const PairTraining& t,
                         std::optional<PairReader>* trained = nullptr) {
  Generator start(t.seed, 1ull << 20), data(t.seed, 1ull << 40), held(t.seed, 1ull << 41);
  PairReader reader(o, start);
  Ring test = make_ring(128, o.ring, o.colours, held);
  PairOutcome out;
  out.name = name, out.parameters = nn::count_parameters(reader);
  nn::Adam adam(nn::named_parameters(reader), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "words"});
  for (int64_t step = 0; step < t.steps; ++step) {
    if (step % kEvery == 0) measure(reader, test, out);
    if (step == 3 * t.steps / 4) adam.learning_rate = t.rate / 10;
    Ring r = make_ring(t.batch, o.ring, o.colours, data);
    PairReader::Predicted predicted = reader(r);
    Variable loss = cross_entropy(predicted.next, r.next) + cross_entropy(predicted.before, r.before);
    adam.zero_grad();
    backward(loss);
    adam.step();
    progress.step({.loss = loss.item(), .items = t.batch * o.ring});
  }
  measure(reader, test, out);
  if (trained) trained->emplace(std::move(reader));
  return out;
}

}  // namespace heads
