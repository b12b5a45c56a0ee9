// A language model: batches of lines, training, and the loss.
//
//   in     <s>  the  dog  sleeps          the input
//   out    the  dog  sleeps  </s>         the target: the same line, moved by one position
//
//   perplexity = exp(mean over all words of -log p(word | words before it)),   </s> counts as a word
//
// B lines, T words, D width, V vocabulary.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/train/progress.h"
#include "nn/transformer/language_model.h"
#include "tutorials/27_decoder/grammar.h"

namespace speaking {

using heed::text::Vocabulary;
using nn::LanguageModel;
using Sentences = std::vector<std::vector<int64_t>>;  // without <s>, with </s>

inline Sentences draw(const Grammar& g, int64_t n, heed::Generator& rng) {
  Sentences out;
  for (int64_t i = 0; i < n; ++i) out.push_back(g.draw(rng));
  return out;
}
inline int64_t words_of(const Sentences& s) {
  int64_t n = 0;
  for (const auto& line : s) n += std::ssize(line);
  return n;
}

struct Lines {
  Tensor in, out;  // [B, T] i64, padded with <pad>, which the loss ignores
};
inline Lines lines_of(const Sentences& sentences) {
  size_t longest = 0;
  for (const auto& s : sentences) longest = std::max(longest, s.size());
  heed::Shape shape{std::ssize(sentences), static_cast<int64_t>(longest)};
  Lines b{Tensor::full(shape, Vocabulary::pad, heed::DType::i64),
          Tensor::full(shape, Vocabulary::pad, heed::DType::i64)};
  auto *in = b.in.data<int64_t>(), *out = b.out.data<int64_t>();
  for (const auto& s : sentences) {
    in[0] = Vocabulary::start;
    std::copy(s.begin(), s.end() - 1, in + 1);
    std::copy(s.begin(), s.end(), out);
    in += longest, out += longest;
  }
  return b;
}

// Sets which words a word attends to, by the name of a scope (nn/attention/scopes): "causal" is a language model,
// itself and earlier words; "global" is the classic fault, all words; "window" of 0 is the control, itself only.
inline void set_scope(LanguageModel& m, const std::string& scope, heed::Generator& rng) {
  for (auto& layer : m.decoder.layers) {
    nn::ScopeOptions& o = layer.self_attn->options.scope;
    o = nn::stage_from(nn::Kind::scope, scope == "window" ? "window:0" : scope);
    layer.self_attn->scope = nn::make_scope(o, rng);
  }
}

inline nn::TransformerOptions options_of(const Grammar& g, int64_t model, int64_t layers) {
  return {.target_vocabulary = g.words().size(),
          .model = model,
          .heads = 4,
          .inner = 2 * model,
          .decoder_layers = layers,
          .norm_first = true,
          .dropout = 0,
          .tie = "target"};
}

inline double mean_loss(const LanguageModel& m, const Sentences& test) {
  heed::NoGrad guard;
  Lines b = lines_of(test);
  return cross_entropy(m(b.in), b.out, {.ignore_index = Vocabulary::pad}).item();
}

struct Training {
  int64_t steps = 600, batch = 48;
  double rate = 3e-3;
  uint64_t seed = 1;
};
// Every batch is drawn anew from the grammar, so there is nothing to memorise. Returns the loss of each step.
inline std::vector<double> learn(LanguageModel& m, const std::string& name, const Grammar& g, const Training& t) {
  heed::Generator dice(t.seed, 1ull << 40);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::WarmupCosine schedule({.peak = t.rate, .warmup = 50, .total = t.steps});
  nn::Progress progress(t.steps, {.label = name, .unit = "words"});
  std::vector<double> losses;
  for (int64_t s = 1; s <= t.steps; ++s) {
    Sentences batch = draw(g, t.batch, dice);
    Lines b = lines_of(batch);
    adam.zero_grad();
    Variable loss = cross_entropy(m(b.in), b.out, {.ignore_index = Vocabulary::pad});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step(schedule);
    losses.push_back(loss.item());
    progress.step({.loss = losses.back(), .items = words_of(batch)});
  }
  progress.finish();
  return losses;
}

}  // namespace speaking
