// The small decoder of this lesson, a llama, and the texts that it learns from: words in random order that quote
// themselves.
//
//   <s> tea owl red fox .. | owl red fox key pan | red fox key ..      12 words, then stretches of what came before
//
// Every text has its own order, so nothing can be known of a word at its first appearance. When two words have stood
// side by side before, the second is known to a model that finds where the first one stood and reads what came next.
// Only these words count in the loss.
//
// The model is made, trained, saved as published models are (config.json, model.safetensors, tokenizer.json) and opened
// again. L words of a round, T tokens of a text, B texts, V vocabulary, H heads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/published/new_model.h"
#include "nn/tokenizers/learn.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "nn/train/progress.h"
#include "tensor/random.h"

namespace inside {

using heed::Generator, heed::NoGrad, heed::Tensor, heed::Variable;
namespace nn = heed::nn;
namespace tokenizers = heed::tokenizers;
using nn::published::Model;
using Ids = std::vector<int64_t>;

inline const std::vector<std::string>& all_words() {
  static const std::vector<std::string> words = {
      "ant", "ape", "bag", "bat", "bed", "bee", "box", "boy", "bus", "cap", "car", "cat", "cow", "cup", "day", "dog",
      "ear", "egg", "elf", "eye", "fan", "fig", "fox", "gem", "hat", "hen", "ice", "ink", "jam", "jar", "key", "leg",
      "lip", "map", "net", "nut", "oak", "owl", "pan", "pea", "pen", "pig", "rat", "red", "sun", "tea", "toy", "van"};
  return words;
}

struct Plan {
  int64_t layers = 2, heads = 2, width = 64, steps = 3000, batch = 32, length = 40;  // length: T without <s>
  double rate = 5e-3, enough = 0.15;
  uint64_t seed = 1;
};

// Each word with a space before it is one token.
inline tokenizers::LearnedTokenizer tokenizer_of_words() {
  std::string line;
  for (const std::string& word : all_words()) line += " " + word;
  return tokenizers::learn_byte_pairs({line, line}, {.vocabulary = 512, .min_frequency = 1});
}

struct Words {  // numbers of all_words(), and of the token that begins a text
  Ids ids;
  int64_t begin = 1;
};
inline Words numbered(const tokenizers::PublishedTokenizer& tokenizer) {
  Words out;
  for (const std::string& word : all_words())
    out.ids.push_back(tokenizer.encode(" " + word, {.add_special = false}).ids().at(0));
  out.begin = tokenizer.special("bos_token").value();
  return out;
}

// <s>, then two rounds of L words that all differ.
inline Ids repeated(const Ids& words, int64_t begin, int64_t L, Generator& rng) {
  Ids order = words, text{begin};
  rng.shuffle(order);
  for (int64_t i = 0; i < 2 * L; ++i) text.push_back(order[static_cast<size_t>(i % L)]);
  return text;
}

// 12 words, then stretches of 5 to 9 words from anywhere before.
inline Ids quoting(const Words& words, int64_t length, Generator& rng) {
  Ids order = words.ids, text{words.begin};
  rng.shuffle(order);
  text.insert(text.end(), order.begin(), order.begin() + 12);
  while (std::ssize(text) <= length) {
    const int64_t n = 5 + rng.below(5), from = 1 + rng.below(std::ssize(text) - n);
    for (int64_t i = 0; i < n; ++i) text.push_back(text[static_cast<size_t>(from + i)]);
  }
  text.resize(static_cast<size_t>(length) + 1);
  return text;
}

inline Tensor rows_of(const std::vector<Ids>& texts) {  // [B, T]
  const auto B = std::ssize(texts), T = std::ssize(texts.front());
  Tensor out = Tensor::zeros({B, T}, heed::DType::i64);
  for (int64_t b = 0; b < B; ++b) std::copy_n(texts[static_cast<size_t>(b)].data(), T, out.data<int64_t>() + b * T);
  return out;
}

// What comes after each token, [B, T - 1]; -100, which does not count, where the pair is new.
inline Tensor known_words(const std::vector<Ids>& texts) {
  const auto B = std::ssize(texts), T = std::ssize(texts.front());
  Tensor out = Tensor::full({B, T - 1}, -100, heed::DType::i64);
  for (int64_t b = 0; b < B; ++b) {
    const Ids& w = texts[static_cast<size_t>(b)];
    for (size_t i = 2; i < w.size(); ++i)
      for (size_t j = 2; j < i; ++j)
        if (w[j - 1] == w[i - 1] && w[j] == w[i]) out.data<int64_t>()[b * (T - 1) + static_cast<int64_t>(i) - 1] = w[i];
  }
  return out;
}

// Almost without feed-forward layers (8 features), as in the paper; a low base of the rotations, for short texts.
inline std::unique_ptr<Model> new_model(const Plan& p, int64_t vocabulary) {
  heed::io::Json config = nn::published::llama_config(
      {.vocabulary = vocabulary, .width = p.width, .layers = p.layers, .heads = p.heads, .inner = 8, .longest = 128});
  config.set("rope_theta", 30.0).set("initializer_range", 0.1);
  return nn::published::make(config, p.seed);
}

// Trains until the loss stays below `plan.enough`, or for plan.steps; the rate is constant after a warm-up. Calls
// `look` with the number of steps, before the first one and then every 50. Returns how many there were.
template <class Look>
int64_t train(Model& model, const Words& words, const Plan& p, const Look& look) {
  Generator rng(p.seed, 1 << 20);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = p.rate});
  nn::WarmupCosine schedule({.peak = p.rate, .warmup = 40, .total = 100000});
  nn::Progress progress(p.steps, {.label = fmt::format("{} layers, at most", p.layers), .unit = "texts"});
  double recent = 10;  // a moving average of the loss
  int64_t step = 0;
  look(step);
  while (step < p.steps && recent > p.enough) {
    std::vector<Ids> texts, read;
    for (int64_t i = 0; i < p.batch; ++i) {
      texts.push_back(quoting(words, p.length, rng));
      read.emplace_back(texts.back().begin(), texts.back().end() - 1);
    }
    adam.zero_grad();
    Variable loss = cross_entropy(model.logits("next_word", model.read({.ids = rows_of(read)})), known_words(texts),
                                  {.ignore_index = -100});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step(schedule);
    recent += 0.05 * (loss.item() - recent);
    progress.step({.loss = loss.item(), .items = p.batch});
    if (++step % 50 == 0) look(step);
  }
  progress.finish();
  return step;
}

}  // namespace inside
