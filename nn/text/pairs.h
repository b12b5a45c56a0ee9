// Prepares sentence pairs for batching: tokenises them, removes those that are too long, and splits them in three sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/text/bpe.h"
#include "nn/text/reading.h"
#include "nn/text/tokenizer.h"

namespace heed::text {

struct TokenPair {
  std::vector<std::string> source, target;
};

struct PairTokenizers {
  Tokenizer source, target;
};

std::vector<TokenPair> tokenize(const std::vector<SentencePair>& pairs, const PairTokenizers& tokenizers);

// Removes the pairs in which a side has more than max_tokens tokens, or none at all, and returns how many it removed.
// With `bpe` it counts the pieces of the words, which a model's time and memory grow with. If no pair is left, an
// InputError says which max_tokens the shortest pair would need.
int64_t filter_by_length(std::vector<TokenPair>& pairs, int64_t max_tokens, const Bpe* bpe = nullptr);

template <class Pair>
struct Split {
  std::vector<Pair> train, validation, test;  // each in the order of the corpus
};

struct SplitOptions {
  // Numbers of distinct source sentences for these sets; all translations of a sentence go with it.
  int64_t validation = 0, test = 0;
  uint64_t seed = 0;
};

// The set of each source: 0 train, 1 validation, 2 test. Equal sources get equal numbers. InputError if none is left
// for training.
std::vector<int> assign_sets(const std::vector<std::string>& sources, SplitOptions options);

// What identifies a source sentence: its text, or its tokens joined by a character that no token contains.
std::string source_key(const SentencePair& pair);
std::string source_key(const TokenPair& pair);

// Splits by distinct source sentence. A corpus such as Tatoeba has "Run!" with five translations, and a model that has
// seen one of them in training is not really tested by another. It is best to tokenise the pairs first, so that "Run!"
// and "run !" count as one sentence. The same pairs and seed give the same split on every machine.
template <class Pair>
Split<Pair> split_by_source(std::vector<Pair> pairs, SplitOptions options) {
  std::vector<std::string> sources;
  sources.reserve(pairs.size());
  for (const Pair& pair : pairs) sources.push_back(source_key(pair));
  std::vector<int> sets = assign_sets(sources, options);
  Split<Pair> split;
  for (size_t i = 0; i < pairs.size(); ++i)
    (sets[i] == 0 ? split.train : sets[i] == 1 ? split.validation : split.test).push_back(std::move(pairs[i]));
  return split;
}

}  // namespace heed::text
