// An encoder that predicts a symbol at each position, its training, and the gradients of its layers during training.
//
//   logits = W stack(embed(x)) + b              ids [B, T] -> [B, T, V]
//
// There is no decoder and no search. B sequences, T positions, D width, V symbols.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/data/tasks/sequences.h"
#include "nn/optim/adam.h"
#include "nn/train/progress.h"
#include "nn/transformer/token_embedding.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace encoding {

namespace nn = heed::nn;
namespace data = heed::data;
using heed::Tensor, heed::Variable;

struct TaggerOptions {
  int64_t symbols, layers = 2, model = 32, heads = 4, inner = 64;
  bool norm_first = true;
  bool final_norm = true;
  bool look = true;  // false: the control; each position attends to itself only
};

struct Tagger : nn::Module {
  using Options = TaggerOptions;
  Tagger(const Options& o, heed::Generator& rng)
      : options(o),
        embedding({.vocabulary = o.symbols, .width = o.model}, rng),
        stack({.layer = {.model = o.model, .heads = o.heads, .inner = o.inner, .norm_first = o.norm_first},
               .layers = o.layers,
               .final_norm = o.final_norm},
              rng),
        output({.in = o.model, .out = o.symbols}, rng) {}
  Variable operator()(const Tensor& ids) const {
    nn::LayerInput in;
    if (!options.look) in.self.allowed = Tensor::eye(ids.size(1)).to(heed::DType::boolean);  // [T, T]
    return output(stack(embedding(ids), in).output);
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    v.child("stack", stack);
    v.child("output", output);
  }
  Options options;
  nn::TokenEmbedding embedding;
  nn::TransformerStack stack;
  nn::Linear output;
};

struct Examples {
  Tensor ids, answers;  // [N, T] i64
};
inline Examples examples_of(const data::Task& task, const std::vector<data::AlignedPair>& pairs) {
  std::vector<data::EncodedPair> encoded = task.encode(pairs, {.append_stop = false});
  std::vector<int64_t> in, out;
  for (const auto& e : encoded) {
    in.insert(in.end(), e.source.begin(), e.source.end());
    out.insert(out.end(), e.target.begin(), e.target.end());
  }
  auto N = std::ssize(encoded), T = std::ssize(encoded.at(0).source);
  return {Tensor::from(in, {N, T}), Tensor::from(out, {N, T})};
}

// Share of the positions with the correct symbol, in %.
inline double percent_right(const Tagger& m, const Examples& e) {
  heed::NoGrad guard;
  return 100 * heed::mean(heed::equal(heed::argmax(m(e.ids).value(), 2), e.answers).to(heed::DType::f64)).item();
}

// The norm of the gradient of all parameters of a layer, from the first layer to the last.
inline std::vector<double> gradient_by_layer(Tagger& m) {
  std::vector<double> out;
  for (auto& layer : m.stack.layers) {
    double squares = 0;
    for (auto& p : nn::named_parameters(layer))
      if (p.variable.grad().defined())
        for (double g : p.variable.grad().to_vector()) squares += g * g;
    out.push_back(std::sqrt(squares));
  }
  return out;
}

inline Tensor rows_of(const Tensor& table, const Tensor& rows) { return heed::index_select(table, 0, rows); }

struct Training {
  int64_t steps = 300, batch = 32;
  double rate = 3e-3;
  int64_t warmup = 0;  // steps in which the learning rate rises linearly to `rate`
  uint64_t seed = 1;
};
struct Learned {
  double right = 0;  // correct symbols of the test sequences, in %
  std::vector<double> losses = {};
  std::vector<std::vector<double>> gradients = {};  // by layer, at the steps in `looks`
};

// Adam without weight decay, clipping or dropout, because these could hide the effect of the norm.
inline Learned learn(Tagger& m, const std::string& name, const data::Task& task, const Training& t,
                     const std::vector<int64_t>& looks = {}) {
  heed::Generator rng(t.seed, 1ull << 40);
  Examples train = examples_of(task, task.train);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "sequences"});
  Learned out;
  for (int64_t s = 1; s <= t.steps; ++s) {
    std::vector<int64_t> members;
    for (int64_t i = 0; i < t.batch; ++i) members.push_back(rng.below(train.ids.size(0)));
    Tensor rows = Tensor::from(members, {t.batch});
    if (s <= t.warmup) adam.learning_rate = t.rate * static_cast<double>(s) / static_cast<double>(t.warmup);
    adam.zero_grad();
    Variable loss = cross_entropy(m(rows_of(train.ids, rows)), rows_of(train.answers, rows));
    backward(loss);
    if (std::count(looks.begin(), looks.end(), s)) out.gradients.push_back(gradient_by_layer(m));
    adam.step();
    out.losses.push_back(loss.item());
    progress.step({.loss = out.losses.back(), .items = t.batch});
  }
  progress.finish();
  out.right = percent_right(m, examples_of(task, task.test));
  return out;
}

// The root mean square of the embedding and of each layer's output, and the attention weights of each layer, averaged
// over heads and sequences [T, T].
struct Inside {
  std::vector<double> sizes = {};
  std::vector<Tensor> weights = {};
};
inline Inside look_inside(const Tagger& m, const Tensor& ids) {
  heed::NoGrad guard;
  nn::LayerInput in;
  in.self.weights = true;
  Inside out;
  auto size = [](const Variable& x) { return std::sqrt(heed::mean(heed::mul(x.value(), x.value())).item()); };
  Variable x = m.embedding(ids);
  out.sizes.push_back(size(x));
  for (const auto& layer : m.stack.layers) {
    nn::LayerOutput seen = layer(x, in);
    x = seen.output;
    out.sizes.push_back(size(x));
    out.weights.push_back(heed::mean(seen.weights, {0, 1}).value());  // [B, H, T, T] -> [T, T]
  }
  return out;
}

}  // namespace encoding
