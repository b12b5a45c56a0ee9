// A language model of many transformer layers, trained for one step with and without checkpoints: its gradients, its
// bytes, and its multiply-adds.
//
// B lines, T words, D width, n layers.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "autograd/variable.h"
#include "nn/transformer/language_model.h"
#include "tensor/allocator.h"
#include "tensor/profile.h"
#include "tensor/random.h"

namespace scale {

using heed::Tensor, heed::Variable;

// What a training step costs, counted: the most bytes alive, and the multiply-adds of its matrix products.
//
// Both are counts of the library, not estimates: the allocator adds up what is alive (tensor/allocator.h), and every
// matrix product reports its multiply-adds to a Profile (tensor/profile.h).
struct Cost {
  double bytes = 0;     // most bytes alive during the step, in addition to those before it
  double products = 0;  // multiply-adds
  double seconds = 0;   // shown, never claimed
};

inline Cost cost_of(const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  heed::Profile profile;
  auto before = static_cast<double>(heed::allocator_stats().live_bytes);
  heed::reset_peak();
  Clock::time_point start = Clock::now();
  step();
  Cost cost{.seconds = std::chrono::duration<double>(Clock::now() - start).count()};
  cost.bytes = static_cast<double>(heed::allocator_stats().peak_bytes) - before;
  for (const heed::ProfileRow& row : profile.rows())
    if (row.is_product) cost.products += row.work;
  return cost;
}

// Bytes of one tensor of this shape, as the allocator counts them.
inline double bytes_of(const heed::Shape& shape) {
  auto before = static_cast<double>(heed::allocator_stats().live_bytes);
  heed::Tensor one = heed::Tensor::zeros(shape);
  return static_cast<double>(heed::allocator_stats().live_bytes) - before;
}

struct Size {
  int64_t layers = 16, lines = 4, words = 32, width = 64, vocabulary = 64;
  double dropout = 0.1;
};

// Made anew for each measurement, with the same parameters and the same random numbers to come.
struct Stack {
  Stack(const Size& size, uint64_t seed)
      : rng(seed),
        model({.target_vocabulary = size.vocabulary,
               .model = size.width,
               .heads = 4,
               .inner = 2 * size.width,
               .decoder_layers = size.layers,
               .norm_first = true,
               .dropout = size.dropout,
               .tie = "target"},
              rng),
        ids(Tensor::zeros({size.lines, size.words}, heed::DType::i64)),
        next(ids.clone()) {
    for (Tensor* t : {&ids, &next})
      for (int64_t i = 0; i < t->count(); ++i) t->data<int64_t>()[i] = 4 + rng.below(size.vocabulary - 4);
  }
  Variable loss(const Variable& logits) const { return cross_entropy(logits, next); }
  std::vector<Tensor> gradients() {
    std::vector<Tensor> all;
    for (auto& p : heed::nn::named_parameters(model)) all.push_back(p.variable.grad().clone());
    return all;
  }

  heed::Generator rng;
  heed::nn::LanguageModel model;
  Tensor ids, next;  // [B, T]
};

struct Measured {
  std::vector<Tensor> gradients;
  Cost cost;
};

// A training step with this number of layers per checkpoint; 0: none.
inline Measured one_step(const Size& size, uint64_t seed, int64_t per_checkpoint) {
  Stack s(size, seed);
  s.model.decoder.checkpoint = per_checkpoint;
  auto step = [&] { backward(s.loss(s.model(s.ids))); };
  step();
  Measured m{s.gradients(), {}};
  m.cost = cost_of(step);  // the second step: memory for the gradients of parameters is there already
  return m;
}

// Multiply-adds of the layers alone, forward.
inline double forward_products(const Size& size, uint64_t seed) {
  Stack s(size, seed);
  heed::NoGrad no_graph;
  Variable x = s.model.embedding(s.ids);
  return cost_of([&] { s.model.decoder(x); }).products;
}

// Checkpointing by hand, for a stack of layers, as autograd/checkpoint.h does it:
//
//   forward    run the layers without recording a graph; keep the input and the random numbers of each segment
//   backward   for each segment, the last one first: run it again from its input, now with a graph, draw the same
//              random numbers, and send the gradient of its output through that graph
//
// With other random numbers, dropout removes other units in the second run than in the first, and the gradient is that
// of another network.
using Layer = std::function<Variable(const Variable&)>;

// Adds the gradients of loss(layers(x)) to those of the parameters, and returns that of x.
inline Tensor by_hand(const std::vector<Layer>& layers, size_t per_segment, const Tensor& x, const Layer& loss,
                      bool same_numbers = true) {
  struct Kept {
    Tensor input;
    std::vector<heed::GeneratorLog::Draw> drawn;
  };
  std::vector<Kept> kept;
  auto run = [&](size_t segment, Variable h) {
    for (size_t i = segment * per_segment; i < std::min((segment + 1) * per_segment, layers.size()); ++i)
      h = layers[i](h);
    return h;
  };
  Variable h(x);
  for (size_t s = 0; s * per_segment < layers.size(); ++s) {
    heed::NoGrad no_graph;
    heed::GeneratorLog log;
    kept.push_back({h.value(), {}});
    h = run(s, h);
    kept.back().drawn = log.draws();
  }
  Variable top(h.value(), Variable::kRequiresGrad);
  backward(loss(top));
  Tensor gradient = top.grad();
  for (; !kept.empty(); kept.pop_back()) {
    Variable input(kept.back().input, Variable::kRequiresGrad);
    std::optional<heed::GeneratorReplay> replay;
    if (same_numbers) replay.emplace(kept.back().drawn);
    backward(run(kept.size() - 1, input), {.seed = gradient});
    gradient = input.grad();
  }
  return gradient;
}

// The gradients by hand, with the same random numbers in the second run or with new ones.
inline std::vector<Tensor> step_by_hand(const Size& size, uint64_t seed, int64_t per_segment, bool same_numbers) {
  Stack s(size, seed);
  std::vector<Layer> layers;
  for (const auto& layer : s.model.decoder.layers) layers.push_back([&](const Variable& h) { return layer(h).output; });
  Variable x = s.model.embedding(s.ids);
  Tensor dx = by_hand(
      layers, static_cast<size_t>(per_segment), x.value(),
      [&](const Variable& h) { return s.loss(s.model.output((*s.model.decoder.norm)(h))); }, same_numbers);
  backward(x, {.seed = dx});
  return s.gradients();
}

// How many numbers of the gradients have other bits.
inline int64_t differing(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  int64_t n = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<double> x = a[i].to_vector(), y = b[i].to_vector();
    for (size_t j = 0; j < x.size(); ++j) n += x[j] != y[j];
  }
  return n;
}
inline int64_t count(const std::vector<Tensor>& a) {
  int64_t n = 0;
  for (const Tensor& t : a) n += t.count();
  return n;
}

}  // namespace scale
