// A pointer network that sorts real numbers (Vinyals, Fortunato and Jaitly, NeurIPS 2015).
//
//   h_s = encoder(x)                        a bidirectional GRU reads the numbers                  [B, S, 2N]
//   d_t = GRU([y_{t-1}; first?], d_{t-1})   y_{t-1}: the number that was pointed at before         [B, T, N]
//   a_t = softmax(v . tanh(W d_t + U h_s))  over the positions that are still allowed              [B, T, S]
//   p(position s at step t) = a_ts          nn/output_heads/pointer.h
//
// Every number is new, so no vocabulary could contain them. The output of the pointer head has 4 + S columns: four
// special ids, then the positions. The control has the same decoder, a softmax over the numbers 0 .. 19 of positions,
// and no attention.
//
// `masked`: a position that has been used is not allowed again. In training the order is known, so all steps are
// computed at once: position s may be read at step t if its rank is at least t. B lists, S numbers, T = S steps.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/output_heads/pointer.h"
#include "nn/recurrent/gru.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace copying {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

inline constexpr int64_t kPlaces = 20;  // the longest list that the control can name positions of

struct Lists {
  Tensor numbers;   // [B, S, 1], uniform in [0, 1)
  Tensor order;     // [B, S] i64: the position of the smallest number, of the second, ..
  Tensor previous;  // [B, S, 2]: the number before, and 1 at the first step
  Tensor unused;    // [B, T, S] bool: position s has not been pointed at before step t
  Tensor slots;     // [B, S] i64, the source as the pointer head sees it: no </s>
};
inline Lists make_lists(int64_t B, int64_t S, Generator& rng) {
  std::vector<double> numbers, previous;
  std::vector<int64_t> order;
  Lists all;
  all.unused = Tensor::zeros({B, S, S}, heed::DType::boolean);
  all.slots = Tensor::full({B, S}, nn::Pointer::Words::specials, heed::DType::i64);
  for (int64_t b = 0; b < B; ++b) {
    std::vector<double> x;
    for (int64_t s = 0; s < S; ++s) x.push_back(rng.uniform());
    std::vector<int64_t> sorted(static_cast<size_t>(S));
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(),
              [&](int64_t i, int64_t j) { return x[static_cast<size_t>(i)] < x[static_cast<size_t>(j)]; });
    for (int64_t t = 0; t < S; ++t) {
      previous.push_back(t == 0 ? 0 : x[static_cast<size_t>(sorted[static_cast<size_t>(t - 1)])]);
      previous.push_back(t == 0);
      for (int64_t later = t; later < S; ++later) all.unused.set({b, t, sorted[static_cast<size_t>(later)]}, 1);
    }
    numbers.insert(numbers.end(), x.begin(), x.end());
    order.insert(order.end(), sorted.begin(), sorted.end());
  }
  all.numbers = Tensor::from(numbers, {B, S, 1}).to(heed::DType::f32);
  all.previous = Tensor::from(previous, {B, S, 2}).to(heed::DType::f32);
  all.order = Tensor::from(order, {B, S});
  return all;
}

struct Sorter : nn::Module {
  static constexpr int64_t kWidth = 32;  // N
  Sorter(bool with_pointer, const std::string& normaliser, Generator& rng)
      : points(with_pointer),
        encoder({.input = 1, .hidden = kWidth, .bidirectional = true}, rng),
        start({.in = 2 * kWidth, .out = kWidth}, rng),
        decoder({.input = 2, .hidden = kWidth}, rng),
        attention(
            {.score = {.name = "additive", .query = kWidth, .key = 2 * kWidth}, .normaliser = {.name = normaliser}},
            rng),
        pointer({.features = kWidth, .vocabulary = 0}, rng),
        places({.in = kWidth, .out = nn::Pointer::Words::specials + kPlaces}, rng) {}

  struct Read {
    nn::Memory memory;
    Variable state;  // [1, B, N]
  };
  Read read(const Tensor& numbers) const {
    auto [h, last] = encoder(Variable(numbers));
    Variable both = heed::concat({heed::select(last, 0, 0), heed::select(last, 0, 1)}, -1);
    return {attention.remember(h, h), heed::unsqueeze(tanh(start(both)), 0)};
  }
  // Unnormalised log p of the positions, [B, T, 4 + S] (the control: [B, T, 4 + 20]).
  Variable logits(const Variable& states, nn::Memory memory, const Tensor& slots, const Tensor& allowed) const {
    if (!points) return places(states);
    memory.allowed = allowed;
    return pointer(states, attention(states, memory).weights, {.ids = slots});
  }
  Variable operator()(const Lists& l, bool masked) const {  // teacher forcing
    Read r = read(l.numbers);
    return logits(decoder(Variable(l.previous), {}, r.state).annotations, r.memory, l.slots,
                  masked ? l.unused : Tensor());
  }
  void visit(nn::Visitor& v) {
    v.child("encoder", encoder);
    v.child("start", start);
    v.child("decoder", decoder);
    v.child("attention", attention);
    v.child("places", places);
  }
  bool points;
  nn::GRU encoder;
  nn::Linear start;
  nn::GRU decoder;
  nn::Attention attention;
  nn::Pointer pointer;
  nn::Linear places;
};

// Greedy decoding: the position with the largest weight, T = S times. [B, S] i64
inline Tensor greedy_order(const Sorter& m, const Lists& l, bool masked) {
  heed::NoGrad guard;
  const int64_t B = l.numbers.size(0), S = l.numbers.size(1);
  Sorter::Read r = m.read(l.numbers);
  Tensor order = Tensor::zeros({B, S}, heed::DType::i64), unused = Tensor::full({B, 1, S}, 1, heed::DType::boolean),
         input = Tensor::zeros({B, 1, 2});
  for (int64_t b = 0; b < B; ++b) input.set({b, 0, 1}, 1);
  for (int64_t t = 0; t < S; ++t) {
    auto [d, last] = m.decoder(Variable(input), {}, r.state);
    r.state = last;
    Tensor log_p = m.logits(d, r.memory, l.slots, masked ? unused : Tensor()).value();
    Tensor best = argmax(log_p.slice(2, nn::Pointer::Words::specials, log_p.size(2)).contiguous(), 2);  // [B, 1]
    for (int64_t b = 0; b < B; ++b) {
      const int64_t s = std::min(best.data<int64_t>()[b], S - 1);
      order.set({b, t}, static_cast<double>(s));
      unused.set({b, 0, s}, 0);
      input.set({b, 0, 0}, l.numbers.at({b, s, 0}));
      input.set({b, 0, 1}, 0);
    }
  }
  return order;
}

struct Ordered {
  double lists = 0, repeats = 0;  // in %: lists in the right order; lists with a position that was named twice
};
inline Ordered judge(const Sorter& m, int64_t S, bool masked, uint64_t seed, int64_t count = 400) {
  Generator rng(seed, 1ull << 41);
  Lists l = make_lists(count, S, rng);
  Tensor order = greedy_order(m, l, masked);
  Ordered out;
  for (int64_t b = 0; b < count; ++b) {
    bool right = true;
    std::vector<bool> named(static_cast<size_t>(S));
    bool twice = false;
    for (int64_t t = 0; t < S; ++t) {
      const auto s = static_cast<size_t>(order.at({b, t}));
      right = right && order.at({b, t}) == l.order.at({b, t});
      twice = twice || named[s];
      named[s] = true;
    }
    out.lists += right, out.repeats += twice;
  }
  return {100 * out.lists / static_cast<double>(count), 100 * out.repeats / static_cast<double>(count)};
}

struct SorterTraining {
  int64_t steps = 1000, batch = 64, shortest = 5, longest = 10;
  double rate = 5e-3;
  bool masked = true;
  uint64_t seed = 1;
};
inline void learn_to_sort(Sorter& m, const std::string& name, const SorterTraining& t) {
  Generator rng(t.seed, 1ull << 40);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "numbers"});
  for (int64_t step = 0; step < t.steps; ++step) {
    const int64_t S = t.shortest + rng.below(t.longest - t.shortest + 1);
    Lists l = make_lists(t.batch, S, rng);
    adam.learning_rate = t.rate * (1 - static_cast<double>(step) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(m(l, t.masked), add(l.order, nn::Pointer::Words::specials));
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = t.batch * S});
  }
  progress.finish();
}

}  // namespace copying
