#include "nn/data/grammar/toy_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "nn/data/grammar/families.h"
#include "nn/data/grammar/split.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed::data {
namespace {

using toy::Draft;
using toy::joined;

constexpr size_t longest = 14;  // the maximum number of English tokens

AlignedPair draw(Generator& random) {
  int total = 0;
  for (const toy::Family& family : toy::families()) total += family.weight;
  int ticket = static_cast<int>(random.below(total));
  const toy::Family* chosen = &toy::families().front();
  while (ticket >= chosen->weight) ticket -= (chosen++)->weight;
  while (true) {
    Draft draft(random);
    AlignedPair pair = toy::finish(chosen->make(draft), chosen->name, draft);
    if (pair.source.size() <= longest) return pair;
  }
}

std::vector<AlignedPair> short_showcase() {
  std::vector<AlignedPair> pairs;
  for (const ToyShowcase& each : showcase_sentences()) {
    if (each.split == ToySplit::train) pairs.push_back(each.pair);
  }
  return pairs;
}

// Counts how often each word of both languages occurs, and tells whether a word occurs fewer than `limit` times.
class WordCount {
 public:
  void add(const AlignedPair& pair) {
    for (const std::string& word : pair.source) ++counts_["en " + word];
    for (const std::string& word : pair.target) ++counts_["fr " + word];
  }
  bool any_rare(int limit) const {
    return std::any_of(counts_.begin(), counts_.end(), [limit](const auto& entry) { return entry.second < limit; });
  }
  bool has_rare(const AlignedPair& pair, int limit) const {
    auto rare = [&](const std::string& word) {
      auto hit = counts_.find(word);
      return hit == counts_.end() || hit->second < limit;
    };
    return std::any_of(pair.source.begin(), pair.source.end(),
                       [&](const std::string& word) { return rare("en " + word); }) ||
           std::any_of(pair.target.begin(), pair.target.end(),
                       [&](const std::string& word) { return rare("fr " + word); });
  }
  bool knows(const AlignedPair& pair) const { return !has_rare(pair, 1); }

 private:
  std::unordered_map<std::string, int> counts_;
};

// Adds new sentences of the split that `wanted` accepts until there are `size`, and calls `added` with each.
template <class Wanted, class Added>
void fill(std::vector<AlignedPair>& part, int size, ToySplit split, Generator& random, Wanted wanted, Added added) {
  std::unordered_set<std::string> seen;
  for (const AlignedPair& pair : part) seen.insert(joined(pair.source));
  for (int64_t fruitless = 0; std::cmp_less(part.size(), size); ++fruitless) {
    if (fruitless > 100000) {
      throw ValueError(fmt::format(
          "toy_corpus: the grammar must have as many sentences as are asked for; got {} of {}; a larger training set "
          "knows more words, a smaller one leaves more sentences",
          part.size(), size));
    }
    AlignedPair pair = draw(random);
    if (toy::split_of(pair) != split || !wanted(pair) || !seen.insert(joined(pair.source)).second) continue;
    added(pair);
    part.push_back(std::move(pair));
    fruitless = 0;
  }
}

// The last twentieth is drawn from sentences with a word that is still rare, as long as there is one. So each word
// occurs at least about twenty times in 20,000 sentences.
WordCount fill_training(std::vector<AlignedPair>& train, int size, Generator& random) {
  WordCount words;
  for (const AlignedPair& pair : train) words.add(pair);
  const int limit = size / 1000;
  bool choosy = false;
  auto wanted = [&](const AlignedPair& pair) { return !choosy || words.has_rare(pair, limit); };
  auto added = [&](const AlignedPair& pair) { words.add(pair); };
  fill(train, size - size / 20, ToySplit::train, random, wanted, added);
  choosy = words.any_rare(limit);
  auto added_choosy = [&](const AlignedPair& pair) {
    words.add(pair);
    choosy = words.any_rare(limit);
  };
  fill(train, size, ToySplit::train, random, wanted, added_choosy);
  return words;
}

}  // namespace

AlignedPair directed(const AlignedPair& english_first, Direction direction) {
  return direction == Direction::en_fr ? english_first : flipped(english_first);
}

ToyCorpus toy_corpus(const ToyCorpusOptions& options) {
  if (std::min({options.train, options.validation, options.test, options.combinations}) < 0) {
    throw ValueError(
        fmt::format("toy_corpus: sizes must not be negative; got train {}, validation {}, test {}, combinations {}",
                    options.train, options.validation, options.test, options.combinations));
  }
  Generator random(options.seed);
  ToyCorpus corpus;
  corpus.train = short_showcase();
  corpus.train.resize(std::min(corpus.train.size(), static_cast<size_t>(options.train)));
  WordCount words = fill_training(corpus.train, options.train, random);
  random.shuffle(corpus.train);
  auto known = [&](const AlignedPair& pair) { return options.train == 0 || words.knows(pair); };
  auto added = [](const AlignedPair&) {};
  fill(corpus.validation, options.validation, ToySplit::validation, random, known, added);
  fill(corpus.test, options.test, ToySplit::test, random, known, added);
  fill(corpus.test_combinations, options.combinations, ToySplit::combinations, random, known, added);
  if (options.direction == Direction::fr_en) {
    for (std::vector<AlignedPair>* pairs :
         {&corpus.train, &corpus.validation, &corpus.test, &corpus.test_combinations}) {
      for (AlignedPair& pair : *pairs) pair = flipped(pair);
    }
  }
  return corpus;
}

AlignedPair toy_sentence(Direction direction, uint64_t seed, uint64_t index) {
  Generator random(seed, index << 20);  // each sentence has 2^20 numbers of the stream to itself and uses far fewer
  return directed(draw(random), direction);
}

std::vector<std::string> toy_families() {
  std::vector<std::string> names;
  for (const toy::Family& family : toy::families()) names.emplace_back(family.name);
  return names;
}

}  // namespace heed::data
