// One look-up, trained with 16 keys and asked with up to 1024: how much weight do all wrong keys get together?
//
//   keys k_s [d], of length 1 on average       query q = R k_r + noise: key r, rotated by a matrix that the model is
//   values v_s [C], one-hot: a symbol          not told. The model must predict the symbol of entry r
//
//   e_s = (W q) . k_s [B, T, S]     w = normalise(e)     c = sum_s w_s v_s [B, T, C]     logits = 8 c
//
// Symbols are drawn with replacement, so many entries have the right one by chance once S is larger than C = 16. As in
// lesson 14 (look_up.h), only the rotation can be learned, because all keys are new in each batch.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/top_k.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace sparse {

using heed::Generator, heed::Tensor, heed::Variable;

namespace nn = heed::nn;

// The normalisers that are compared, and the knobs of the lesson.
struct Knobs {
  int64_t steps = 1500, find_steps = 400, k = 8;
  double alpha = 1.5, noise = 0.5;
};
struct Kind {
  std::string name;
  nn::NormaliserOptions normaliser;
};
inline std::vector<Kind> kinds(const Knobs& k) {
  return {{"softmax", {}},
          {fmt::format("entmax {:g}", k.alpha), nn::chosen<nn::EntmaxNormaliser>({.alpha = k.alpha})},
          {"sparsemax", {.name = "sparsemax"}},
          {fmt::format("top-{}", k.k), nn::chosen<nn::TopKNormaliser>({.k = k.k})},
          {"sigmoid", {.name = "sigmoid"}},
          {"softmax-plus-one", {.name = "sink"}}};
}
inline std::string percent(double value) { return fmt::format("{:.1f} %", value); }

inline constexpr int64_t kSymbols = 16, kQueries = 16;

struct Entries {
  Tensor queries, keys, values;  // [B, T, d], [B, S, d], [B, S, C]
  Tensor symbols, place;         // [B T] i64: what the query asks for, and where it is
};

inline Entries make_entries(int64_t B, int64_t S, int64_t d, const Tensor& rotation, double noise, Generator& rng) {
  std::vector<int64_t> place, row, symbol_of(static_cast<size_t>(B * S)), symbols;
  std::vector<float> values(static_cast<size_t>(B * S * kSymbols));
  for (size_t i = 0; i < symbol_of.size(); ++i) {
    symbol_of[i] = rng.below(kSymbols);
    values[i * kSymbols + static_cast<size_t>(symbol_of[i])] = 1;
  }
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < kQueries; ++t) {
      place.push_back(rng.below(S));
      row.push_back(b * S + place.back());
      symbols.push_back(symbol_of[static_cast<size_t>(row.back())]);
    }
  const int64_t asked = B * kQueries;
  Tensor keys = Tensor::normal({B * S, d}, rng);
  Tensor queries = matmul(index_select(keys, 0, Tensor::from(row, {asked})), rotation.transpose(0, 1));
  queries = add(queries, mul(Tensor::normal({asked, d}, rng), noise));
  return {.queries = queries.view({B, kQueries, d}),
          .keys = keys.view({B, S, d}),
          .values = Tensor::from(values, {B, S, kSymbols}),
          .symbols = Tensor::from(symbols, {asked}),
          .place = Tensor::from(place, {asked})};
}

struct Finder : nn::Module {
  Finder(const nn::NormaliserOptions& normaliser, const std::string& score, int64_t d, Generator& rng)
      : map({.in = d, .out = d, .bias = false}, rng),
        attention({.score = {.name = score, .query = d, .key = d}, .normaliser = normaliser}, rng) {}
  struct Answer {
    Variable logits;  // [B T, C]
    Tensor weights;   // [B T, S]
  };
  Answer operator()(const Entries& n) const {
    nn::Attended seen = attention(map(Variable(n.queries)), attention.remember(Variable(n.keys), Variable(n.values)));
    const int64_t asked = n.symbols.size(0);
    return {reshape(seen.context * 8.0, {asked, kSymbols}),
            seen.weights.value().reshape({asked, seen.weights.size(-1)})};
  }
  void visit(nn::Visitor& v) {
    v.child("map", map);
    v.child("attention", attention);
  }
  nn::Linear map;
  nn::Attention attention;
};

struct Found {
  double right = 0, weight = 0, zeros = 0;  // in %: symbols, weight on the right key, weights that are exactly 0
};
inline Found ask(const Finder& m, const Entries& n) {
  heed::NoGrad guard;
  auto answer = m(n);
  auto share = [](const Tensor& yes) { return 100 * mean(yes.to(heed::DType::f64)).item(); };
  return {share(equal(argmax(answer.logits.value(), 1), n.symbols)),
          share(gather_last(answer.weights, n.place.unsqueeze(1))), share(equal(answer.weights, 0))};
}

inline constexpr std::array<int64_t, 4> kSources{16, 64, 256, 1024};
// Trained with 16 keys, asked with each number of kSources.
inline std::vector<Found> find(const Kind& kind, const Knobs& k, uint64_t seed) {
  constexpr int64_t d = 32;
  Generator start(seed, 1 << 20), turn(seed, 1ull << 43), drawn(seed, 1ull << 40), held(seed, 1ull << 41);
  const Tensor rotation = nn::init::orthogonal({d, d}, turn);
  Finder m(kind.normaliser, "scaled_dot", d, start);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = 3e-3});
  for (int64_t step = 0; step < k.find_steps; ++step) {
    Entries n = make_entries(32, 16, d, rotation, k.noise, drawn);
    adam.zero_grad();
    backward(cross_entropy(m(n).logits, n.symbols));
    adam.step();
  }
  std::vector<Found> found;
  for (int64_t S : kSources) found.push_back(ask(m, make_entries(64, S, d, rotation, k.noise, held)));
  return found;
}

}  // namespace sparse
