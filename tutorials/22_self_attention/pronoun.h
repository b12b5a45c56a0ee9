// "The animal didn't cross the street because it was too tired": il or elle? The answer needs the adjective, which
// decides what "it" refers to, and the gender of that noun. Two layers of attention, each with a residual path:
//
//   x = words [B, S, D]    x <- x + attention_1(x)    x <- x + attention_2(x)    logits = W x_it [B, 2]
//
// The first layer can bring "tired" to "it", and the second one the noun. Positions are not needed for this task.
#pragma once

#include <array>

#include "nn/data/grammar/toy_corpus.h"
#include "nn/text/vocabulary.h"
#include "tensor/indexing.h"
#include "tutorials/22_self_attention/ring.h"

namespace heads {

namespace data = heed::data;

struct PronounReader : nn::Module {
  struct Options {
    int64_t vocabulary = 0, width = 32, heads = 2;
  };
  PronounReader(const Options& o, Generator& rng)
      : options(o),
        words({.vocabulary = o.vocabulary, .width = o.width, .padding = 0}, rng),
        first({.model = o.width, .heads = o.heads}, rng),
        second({.model = o.width, .heads = o.heads}, rng),
        name({.in = o.width, .out = 2}, rng) {}
  // ids [B, S] i64, padded with 0; it [B] i64: rows of [B S]. `look` false: each word attends to itself only.
  Variable operator()(const Tensor& ids, const Tensor& it, bool look, std::array<Tensor, 2>* weights = nullptr) const {
    nn::HeadMasks masks{.words = not_equal(ids, 0), .weights = weights != nullptr};
    if (!look) masks.allowed = not_equal(Tensor::eye(ids.size(1)), 0);
    Variable x = words(ids);
    for (const nn::MultiHeadAttention* layer : {&first, &second}) {
      auto [read, w] = (*layer)(x, masks);
      x = x + read;
      if (weights) (*weights)[layer == &second] = w.value();
    }
    return name(index_select(reshape(x, {-1, options.width}), 0, it));
  }
  void visit(nn::Visitor& v) {
    v.child("words", words);
    v.child("first", first);
    v.child("second", second);
    v.child("name", name);
  }
  Options options;
  nn::Embedding words;
  nn::MultiHeadAttention first, second;
  nn::Linear name;
};

struct PronounBatch {
  Tensor ids, it, answer;  // [B, S], [B], [B] i64; answer 1: elle
};
inline PronounBatch pronoun_batch(const heed::text::Vocabulary& words,
                                  const std::vector<const data::PronounExample*>& examples) {
  size_t S = 0;
  for (const auto* e : examples) S = std::max(S, e->pair.source.size());
  std::vector<int64_t> ids, it, answer;
  for (const auto* e : examples) {
    it.push_back(std::ssize(ids) + e->pronoun_source), answer.push_back(e->feminine);
    std::vector<int64_t> row = words.encode(e->pair.source);
    row.resize(S, 0);
    ids.insert(ids.end(), row.begin(), row.end());
  }
  auto B = std::ssize(examples);
  return {Tensor::from(ids, {B, static_cast<int64_t>(S)}), Tensor::from(it, {B}), Tensor::from(answer, {B})};
}

struct PronounOutcome {
  double right = 0;  // correct test sentences, in %
  std::array<std::array<double, 2>, 2> adjective = {}, noun = {},
                                       other = {};  // mean weights of the query "it", by layer and head
};

inline PronounOutcome learn_pronouns(const std::vector<data::PronounExample>& family, bool look, int64_t steps,
                                     uint64_t seed, std::optional<PronounReader>* trained = nullptr,
                                     heed::text::Vocabulary* vocabulary = nullptr) {
  std::vector<std::vector<std::string>> sentences;
  std::vector<const data::PronounExample*> train, test;
  for (const auto& e : family) {
    sentences.push_back(e.pair.source);
    if (e.split == data::ToySplit::train) train.push_back(&e);
    if (e.split == data::ToySplit::test) test.push_back(&e);
  }
  heed::text::Vocabulary words(sentences);
  Generator start(seed, 1ull << 20), draw(seed, 1ull << 40);
  PronounReader reader({.vocabulary = words.size()}, start);
  nn::Adam adam(nn::named_parameters(reader), {.learning_rate = 3e-3});
  nn::Progress progress(
      steps, {.label = look ? "il or elle, attention on" : "il or elle, attention off", .unit = "sentences"});
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<const data::PronounExample*> some;
    for (int i = 0; i < 64; ++i) some.push_back(train[static_cast<size_t>(draw.below(std::ssize(train)))]);
    PronounBatch b = pronoun_batch(words, some);
    Variable loss = cross_entropy(reader(b.ids, b.it, look), b.answer);
    adam.zero_grad();
    backward(loss);
    adam.step();
    progress.step({.loss = loss.item(), .items = 64});
  }
  heed::NoGrad guard;
  PronounBatch b = pronoun_batch(words, test);
  std::array<Tensor, 2> weights;
  Tensor said = argmax(reader(b.ids, b.it, look, &weights).value(), 1);
  PronounOutcome out;
  out.right = 100 * mean(equal(said, b.answer).to(heed::DType::f64)).item();
  for (size_t i = 0; i < test.size(); ++i)
    for (size_t layer : {size_t{0}, size_t{1}})
      for (size_t head : {size_t{0}, size_t{1}}) {
        auto from_it = [&](int place) {
          return weights[layer].at(
                     {static_cast<int64_t>(i), static_cast<int64_t>(head), test[i]->pronoun_source, place}) /
                 static_cast<double>(test.size());
        };
        const data::PronounExample& e = *test[i];
        out.adjective[layer][head] += from_it(e.adjective_source);
        out.noun[layer][head] += from_it(e.points_to_animal ? e.animal_source : e.way_source);
        out.other[layer][head] += from_it(e.points_to_animal ? e.way_source : e.animal_source);
      }
  if (trained) trained->emplace(std::move(reader));
  if (vocabulary) *vocabulary = words;
  return out;
}

}  // namespace heads
