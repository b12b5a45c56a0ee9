// The toy grammar as texts of one and of two segments, and a question whose answer needs two words of the sentence.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "nn/data/grammar/toy_corpus.h"
#include "nn/sentence/sentence_encoder.h"

namespace masked_words {

using namespace heed;
using Words = std::vector<std::string>;

struct Labelled {
  Words words;
  int64_t label;
};
struct Question {
  std::vector<Labelled> few, test;
};

// One vocabulary for both languages.
inline text::Vocabulary vocabulary_of(const data::ToyCorpus& corpus) {
  text::WordCounts words;
  for (const auto& p : corpus.train) words.add(p.source), words.add(p.target);
  return text::Vocabulary(words, {.more_specials = text::masked_specials});
}

// Of every pair [CLS] english [SEP] french [SEP], and one of its sentences alone, English and French by turns.
inline std::vector<data::EncodedPair> texts_of(const nn::SentenceEncoder& e,
                                               const std::vector<data::AlignedPair>& pairs) {
  std::vector<data::EncodedPair> texts;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& p = pairs[i];
    texts.push_back({data::marked(e.marks(), e.pieces(p.source), e.pieces(p.target)), {}});
    texts.push_back({e.encode(i % 2 ? p.source : p.target), {}});
  }
  return texts;
}

// For contrastive training: each sentence of a pair is a text of its own.
inline std::vector<data::EncodedPair> pairs_of(const nn::SentenceEncoder& e,
                                               const std::vector<data::AlignedPair>& pairs) {
  std::vector<data::EncodedPair> out;
  for (const auto& p : pairs) out.push_back({e.encode(p.source), e.encode(p.target)});
  return out;
}

// "the animal didn't cross the street because it was too tired": does "it" become il (0) or elle (1)? The adjective
// decides which noun "it" refers to, and the gender of that noun in French decides the pronoun.
inline Question il_or_elle(int64_t labels, uint64_t seed) {
  Question q;
  for (const auto& e : data::pronoun_family()) {
    auto& part = e.split == data::ToySplit::train ? q.few : q.test;
    part.push_back({e.pair.source, e.feminine ? 1 : 0});
  }
  Generator rng(seed, 1ull << 41);
  rng.shuffle(q.few);
  rng.shuffle(q.test);
  q.few.resize(static_cast<size_t>(labels));
  q.test.resize(std::min<size_t>(q.test.size(), 400));
  return q;
}

}  // namespace masked_words
