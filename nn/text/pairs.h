// Sentence pairs on their way to the batches: tokenised, freed of what is too long, split into three sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// Removes the pairs of which a side has more than max_tokens tokens, or none at all, and returns their number. When
// nothing is left, an InputError says what the shortest pair would need.
int64_t filter_by_length(std::vector<TokenPair>& pairs, int64_t max_tokens);

template <class Pair>
struct Split {
  std::vector<Pair> train, validation, test;  // each in the order of the corpus
};

struct SplitOptions {
  int64_t validation = 0, test = 0;  // distinct source sentences set apart, with all their translations
  uint64_t seed = 0;
};

// 0 train, 1 validation, 2 test for each source. Equal sources get equal numbers. InputError if none is left for
// training.
std::vector<int> assign_sets(const std::vector<std::string>& sources, SplitOptions options);

// What identifies a source sentence: its text; its tokens joined by a character that no token holds.
std::string source_key(const SentencePair& pair);
std::string source_key(const TokenPair& pair);

// Splits by distinct source sentence: a corpus such as Tatoeba holds "Run!" with five translations, and a model that
// has seen one of them in training is not being tested on another. Tokenised pairs (recommended) also count "Run!" and
// "run !" as one. The same pairs and seed give the same split on every machine.
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
