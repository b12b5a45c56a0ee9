// Tokenising, the length filter, and a split in which no source sentence is in two sets.
#include "nn/text/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "tensor/error.h"
#include "tensor/random.h"

namespace heed::text {

std::vector<TokenPair> tokenize(const std::vector<SentencePair>& pairs, const PairTokenizers& tokenizers) {
  std::vector<TokenPair> result;
  result.reserve(pairs.size());
  for (const SentencePair& pair : pairs)
    result.push_back({tokenizers.source.split(pair.source), tokenizers.target.split(pair.target)});
  return result;
}

int64_t filter_by_length(std::vector<TokenPair>& pairs, int64_t max_tokens, const Bpe* bpe) {
  if (max_tokens < 1)
    throw InputError(fmt::format("length filter: the longest sentence must have at least 1 token; got {}", max_tokens));
  size_t before = pairs.size(), shortest = SIZE_MAX;
  std::erase_if(pairs, [&](const TokenPair& pair) {
    if (pair.source.empty() || pair.target.empty()) return true;
    auto length = [&](const std::vector<std::string>& words) {
      return bpe ? bpe->segment(words).size() : words.size();
    };
    size_t longer = std::max(length(pair.source), length(pair.target));
    shortest = std::min(shortest, longer);
    return longer > static_cast<size_t>(max_tokens);
  });
  if (pairs.empty()) {
    if (shortest == SIZE_MAX)
      throw InputError(fmt::format("length filter: a pair must have a token on both sides; got {} pair{} without",
                                   before, before == 1 ? "" : "s"));
    throw InputError(
        fmt::format("length filter: a pair must have at most {} tokens a side; got {} pair{}, the shortest "
                    "with {} tokens; raise the maximum length",
                    max_tokens, before, before == 1 ? "" : "s", shortest));
  }
  return static_cast<int64_t>(before - pairs.size());
}

std::string source_key(const SentencePair& pair) { return pair.source; }

std::string source_key(const TokenPair& pair) {
  std::string key;
  for (const std::string& token : pair.source) (key += token) += '\0';
  return key;
}

std::vector<int> assign_sets(const std::vector<std::string>& sources, SplitOptions options) {
  if (options.validation < 0 || options.test < 0)
    throw InputError(fmt::format("split: the sizes must not be negative; got validation {} and test {}",
                                 options.validation, options.test));
  std::unordered_map<std::string_view, size_t> index;  // distinct source -> its number, in order of first appearance
  std::vector<size_t> number(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) number[i] = index.try_emplace(sources[i], index.size()).first->second;
  int64_t distinct = static_cast<int64_t>(index.size());
  if (options.validation >= distinct || options.test >= distinct - options.validation)
    throw InputError(
        fmt::format("split: a source sentence must be left to train on; got {} distinct ones for validation "
                    "{} and test {}",
                    distinct, options.validation, options.test));
  std::vector<size_t> order(index.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Generator(options.seed).shuffle(order);
  std::vector<int> set_of(order.size(), 0);
  for (size_t i = 0; i < static_cast<size_t>(options.validation + options.test); ++i)
    set_of[order[i]] = i < static_cast<size_t>(options.validation) ? 1 : 2;
  std::vector<int> sets(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) sets[i] = set_of[number[i]];
  return sets;
}

}  // namespace heed::text
