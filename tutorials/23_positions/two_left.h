// "The word two to the left": all words of a sentence are drawn at random. For each word from the third on, the answer
// is the word two positions before it. Knowing the words does not help; only their positions do.
//
//   ids [B, S] -> one transformer layer [B, S, D] -> linear [B, S, 16], answers at positions 2 .. S-1
//
// Trained at one length, tested at this one and at a longer one.
#pragma once

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/text/vocabulary.h"
#include "nn/train/progress.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace positions {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

inline constexpr int64_t kWords = 16, kFirst = heed::text::Vocabulary::specials;  // ids 4 .. 19

struct Sentences {
  Tensor ids, lengths;  // [B, S], [B] i64
  Tensor answers;       // [B (S - 2)] i64, 0 .. 15
};
inline Sentences make_sentences(int64_t B, int64_t S, Generator& rng) {
  std::vector<int64_t> ids, answers;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t s = 0; s < S; ++s) {
      ids.push_back(kFirst + rng.below(kWords));
      if (s >= 2) answers.push_back(ids[ids.size() - 3] - kFirst);
    }
  return {Tensor::from(ids, {B, S}), Tensor::full({B}, static_cast<double>(S), heed::DType::i64),
          Tensor::from(answers, {B * (S - 2)})};
}

struct Scheme {
  std::string name, positions;
  bool causal = false;  // each word attends to itself and to earlier words only
  int64_t reach = 0;    // shaw, t5: larger distances count as this one; 0: the defaults, 16 and 128
};
struct Training {
  int64_t steps = 600, batch = 32, length = 16, longest = 48, width = 64, layers = 1, heads = 4;
  double rate = 2e-3;
  uint64_t seed = 1;
};

struct Reader : nn::Module {
  struct Options {
    Scheme scheme;
    Training size = {};
  };
  static nn::TransformerOptions transformer(const Options& o) {
    nn::TransformerOptions t;
    t.source_vocabulary = t.target_vocabulary = kFirst + kWords;
    t.model = o.size.width, t.heads = o.size.heads, t.inner = 2 * o.size.width;
    t.encoder_layers = t.decoder_layers = o.size.layers;
    t.norm_first = true, t.dropout = 0;
    t.positions = o.scheme.positions, t.max_positions = o.size.longest;
    if (o.scheme.reach) t.positions += fmt::format(":max_distance={}", o.scheme.reach);
    return t;
  }
  Reader(const Options& o, Generator& rng)
      : options(o),
        embedding(nn::embedding_of(nn::completed(transformer(o)), kFirst + kWords), rng),
        stack(nn::stack_of(transformer(o),
                           o.scheme.causal ? nn::TransformerPart::language_model : nn::TransformerPart::encoder),
              rng),
        name({.in = o.size.width, .out = kWords}, rng) {}
  Variable operator()(const Sentences& s, Tensor* weights = nullptr) const {  // -> logits [B (S - 2), 16]
    auto [y, w] = stack(embedding(s.ids), {.self = {.weights = weights != nullptr}});
    if (weights) *weights = w.value();
    Variable asked = slice(y, 1, 2, s.ids.size(1));
    return name(reshape(asked, {-1, options.size.width}));
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    v.child("stack", stack);
    v.child("name", name);
  }
  Options options;
  nn::TokenEmbedding embedding;
  nn::TransformerStack stack;
  nn::Linear name;
};

// The best answer without positions is the most frequent word of the sentence: how often it is right, in %.
inline double by_counting(const Sentences& s) {
  std::vector<double> ids = s.ids.to_vector(), answers = s.answers.to_vector();
  auto S = static_cast<size_t>(s.ids.size(1)), B = static_cast<size_t>(s.ids.size(0));
  double right = 0;
  for (size_t b = 0; b < B; ++b) {
    std::vector<int> count(kWords);
    for (size_t i = 0; i < S; ++i) ++count[static_cast<size_t>(ids[b * S + i]) - kFirst];
    auto most = static_cast<double>(std::max_element(count.begin(), count.end()) - count.begin());
    for (size_t i = 0; i < S - 2; ++i) right += answers[b * (S - 2) + i] == most;
  }
  return 100 * right / static_cast<double>(answers.size());
}

struct Outcome {
  std::string name;
  int64_t parameters = 0;
  double near = 0, far = 0;   // correct answers in %, at the trained length and at the longest
  std::vector<double> place;  // correct answers in %, at each position of the longest sentences
  Tensor weights;             // [S, S]: mean over heads, one of the longest sentences
};

inline Tensor right(const Reader& m, const Sentences& s, Tensor* weights = nullptr) {  // [B, S - 2], 0 or 1
  Tensor yes = equal(argmax(m(s, weights).value(), 1), s.answers).to(heed::DType::f64);
  return yes.view({s.ids.size(0), s.ids.size(1) - 2});
}

inline Outcome learn(const Scheme& scheme, const Training& t) {
  Generator start(t.seed, 1ull << 20), data(t.seed, 1ull << 40), held(t.seed, 1ull << 41);
  Reader m({scheme, t}, start);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = scheme.name, .unit = "words"});
  for (int64_t step = 0; step < t.steps; ++step) {
    adam.learning_rate = t.rate * std::min(1.0, 2.0 * (1 - static_cast<double>(step) / static_cast<double>(t.steps)));
    Sentences s = make_sentences(t.batch, t.length, data);
    Variable loss = cross_entropy(m(s), s.answers);
    adam.zero_grad();
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = t.batch * t.length});
  }
  heed::NoGrad guard;
  Outcome out;
  out.name = scheme.name, out.parameters = nn::count_parameters(m);
  out.near = 100 * mean(right(m, make_sentences(64, t.length, held))).item();
  Tensor weights, far = right(m, make_sentences(64, t.longest, held), &weights);
  out.far = 100 * mean(far).item();
  for (double p : mean(Variable(far), {0}).value().to_vector()) out.place.push_back(100 * p);
  out.weights = mean(Variable(weights.select(0, 0)), {0}).value();
  return out;
}

}  // namespace positions
