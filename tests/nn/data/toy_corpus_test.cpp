// The toy corpus: deterministic, parts that do not overlap, every word often enough; the pronoun family in balance.
#include "nn/data/grammar/toy_corpus.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "nn/data/grammar/split.h"

using namespace heed::data;
using toy::joined;

namespace {

const ToyCorpus& corpus() {
  static const ToyCorpus whole = toy_corpus({.train = 20000, .validation = 500, .test = 1000, .combinations = 500});
  return whole;
}

bool same(const std::vector<AlignedPair>& a, const std::vector<AlignedPair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const AlignedPair& x, const AlignedPair& y) {
    return x.source == y.source && x.target == y.target && x.links == y.links;
  });
}

std::map<std::string, int> count_words(const std::vector<AlignedPair>& pairs,
                                       std::vector<std::string> AlignedPair::*side) {
  std::map<std::string, int> counts;
  for (const AlignedPair& pair : pairs) {
    for (const std::string& word : pair.*side) ++counts[word];
  }
  return counts;
}

using Feature = std::function<std::string(const PronounExample&)>;

// The accuracy of the best possible guess of il or elle from the feature alone: the majority for each of its values.
double best_accuracy(const std::vector<PronounExample>& family, const Feature& feature) {
  std::map<std::string, std::pair<int, int>> counts;
  for (const PronounExample& example : family) {
    auto& [il, elle] = counts[feature(example)];
    ++(example.feminine ? elle : il);
  }
  int right = 0;
  for (const auto& [value, count] : counts) right += std::max(count.first, count.second);
  return static_cast<double>(right) / static_cast<double>(family.size());
}

}  // namespace

TEST_CASE("toy corpus: sizes, determinism, seeds") {
  ToyCorpusOptions options{.train = 2000, .validation = 100, .test = 150, .combinations = 120, .seed = 3};
  ToyCorpus a = toy_corpus(options), b = toy_corpus(options);
  CHECK(a.train.size() == 2000);
  CHECK(a.validation.size() == 100);
  CHECK(a.test.size() == 150);
  CHECK(a.test_combinations.size() == 120);
  CHECK(same(a.train, b.train));
  CHECK(same(a.test, b.test));
  CHECK(same(a.test_combinations, b.test_combinations));
  options.seed = 4;
  CHECK_FALSE(same(a.train, toy_corpus(options).train));

  options.seed = 3;
  options.direction = Direction::fr_en;
  ToyCorpus back = toy_corpus(options);
  CHECK(back.test[5].source == a.test[5].target);
  CHECK(back.test[5].target == a.test[5].source);
  CHECK(toy_corpus({.train = 0, .validation = 5, .test = 5, .combinations = 5}).test.size() == 5);
  CHECK(toy_corpus({.train = 0, .validation = 0, .test = 0, .combinations = 0}).train.empty());
  CHECK(joined(toy_sentence(Direction::fr_en, 5, 9).target) == joined(toy_sentence(Direction::en_fr, 5, 9).source));
}

TEST_CASE("toy corpus: the same sentences with every compiler") {
  CHECK(joined(toy_sentence(Direction::en_fr, 1, 0).source) == "the armchair isn't very beautiful");
  CHECK(joined(toy_sentence(Direction::en_fr, 1, 1).source) == "you are very young");
  CHECK(joined(toy_sentence(Direction::en_fr, 1, 2).source) == "we love reading");
}

TEST_CASE("toy corpus: sentences are distinct, no part shares one with another, whatever the seed") {
  std::map<std::string, int> part_of;
  int part = 0;
  for (const auto* pairs : {&corpus().train, &corpus().validation, &corpus().test, &corpus().test_combinations}) {
    for (const AlignedPair& pair : *pairs) {
      CAPTURE(joined(pair.source));
      REQUIRE(part_of.emplace(joined(pair.source), part).second);
    }
    ++part;
  }
  ToyCorpus other = toy_corpus({.train = 3000, .validation = 300, .test = 300, .combinations = 0, .seed = 99});
  for (const AlignedPair& pair : other.train) {
    auto hit = part_of.find(joined(pair.source));
    REQUIRE((hit == part_of.end() || hit->second == 0));
  }
}

TEST_CASE("toy corpus: some 400 words, each seen at least 20 times in 20,000 sentences") {
  auto english = count_words(corpus().train, &AlignedPair::source),
       french = count_words(corpus().train, &AlignedPair::target);
  auto rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  auto rare_english = *std::min_element(english.begin(), english.end(), rarer);
  auto rare_french = *std::min_element(french.begin(), french.end(), rarer);
  MESSAGE("English words: " << english.size() << ", rarest \"" << rare_english.first << "\" " << rare_english.second
                            << " times; French words: " << french.size() << ", rarest \"" << rare_french.first << "\" "
                            << rare_french.second << " times");
  CHECK(english.size() >= 350);
  CHECK(english.size() <= 450);
  CHECK(rare_english.second >= 20);
  CHECK(rare_french.second >= 20);
  for (uint64_t i = 0; i < 20000; ++i) {  // the whole vocabulary of the grammar is in training
    AlignedPair pair = toy_sentence(Direction::en_fr, 12, i);
    for (const std::string& word : pair.source) REQUIRE(english.contains(word));
    for (const std::string& word : pair.target) REQUIRE(french.contains(word));
  }
}

TEST_CASE("toy corpus: a small training set still knows every word of its tests") {
  ToyCorpus small = toy_corpus({.train = 300, .validation = 50, .test = 50, .combinations = 50});
  auto english = count_words(small.train, &AlignedPair::source),
       french = count_words(small.train, &AlignedPair::target);
  for (const auto* part : {&small.validation, &small.test, &small.test_combinations}) {
    for (const AlignedPair& pair : *part) {
      for (const std::string& word : pair.source) REQUIRE(english.contains(word));
      for (const std::string& word : pair.target) REQUIRE(french.contains(word));
    }
  }
}

TEST_CASE("toy corpus: held-out combinations never meet in training, their words do") {
  std::set<std::string> trained, tested;
  for (const AlignedPair& pair : corpus().train) trained.insert(pair.combinations.begin(), pair.combinations.end());
  for (const AlignedPair& pair : corpus().test_combinations) {
    bool unseen = std::any_of(pair.combinations.begin(), pair.combinations.end(),
                              [&](const std::string& combination) { return !trained.contains(combination); });
    CAPTURE(joined(pair.source));
    REQUIRE(unseen);
    for (const std::string& combination : pair.combinations) {
      if (!trained.contains(combination)) tested.insert(combination);
    }
  }
  MESSAGE("combinations in training: " << trained.size() << ", held out and tested: " << tested.size());
  CHECK(tested.size() >= 40);
  for (const ToyShowcase& shown : showcase_sentences()) {
    for (const std::string& combination : shown.pair.combinations) CHECK(trained.contains(combination));
  }
}

TEST_CASE("toy corpus: showcase sentences are where they should be") {
  std::set<std::string> trained;
  for (const AlignedPair& pair : corpus().train) trained.insert(joined(pair.source));
  for (const ToyShowcase& shown : showcase_sentences()) {
    CAPTURE(joined(shown.pair.source));
    CHECK(trained.contains(joined(shown.pair.source)) == (shown.split == ToySplit::train));
  }
}

TEST_CASE("pronoun family: neither the adjective nor the nouns alone tell il from elle") {
  const std::vector<PronounExample> family = pronoun_family();
  CHECK(family.size() == 3456);
  std::map<ToySplit, std::vector<PronounExample>> parts;
  for (const PronounExample& example : family) parts[example.split].push_back(example);
  CHECK(parts.size() == 3);  // nothing of it is a held-out combination
  const std::map<std::string, Feature> alone = {
      {"nothing", [](const PronounExample&) { return std::string(); }},
      {"adjective", [](const PronounExample& e) { return e.adjective; }},
      {"animal", [](const PronounExample& e) { return e.animal; }},
      {"way", [](const PronounExample& e) { return e.way; }},
      {"both nouns", [](const PronounExample& e) { return e.animal + " " + e.way; }},
      {"all before it",
       [](const PronounExample& e) {
         return joined({e.pair.source.begin(), e.pair.source.begin() + e.pronoun_source});
       }},
  };
  for (const auto& entry : alone) {
    CAPTURE(entry.first);
    const Feature& feature = entry.second;
    CHECK(best_accuracy(family, feature) == doctest::Approx(0.5).epsilon(0.03));
    for (const auto& [split, part] : parts) {  // every part is balanced as well
      CHECK(best_accuracy(part, feature) == doctest::Approx(0.5).epsilon(0.03));
    }
  }
  Feature both = [](const PronounExample& e) { return e.adjective + " " + e.animal + " " + e.way; };
  CHECK(best_accuracy(family, both) == 1.0);
  // Not even which noun is meant suffices: il and elle point to animals and to ways equally often.
  Feature noun_meant = [](const PronounExample& e) { return std::string(e.points_to_animal ? "animal" : "way"); };
  CHECK(best_accuracy(family, noun_meant) == 0.5);
}

TEST_CASE("pronoun family: positions point at the words, the pronoun agrees with its noun") {
  for (Direction direction : {Direction::en_fr, Direction::fr_en}) {
    for (const PronounExample& example : pronoun_family(direction)) {
      const bool english_first = direction == Direction::en_fr;
      const auto &source = example.pair.source, &target = example.pair.target;
      CAPTURE(joined(source));
      auto at = [](const std::vector<std::string>& words, int i) { return words.at(static_cast<size_t>(i)); };
      const std::string il = example.feminine ? "elle" : "il";
      REQUIRE(at(source, example.pronoun_source) == (english_first ? "it" : il));
      REQUIRE(at(target, example.pronoun_target) == (english_first ? il : "it"));
      REQUIRE(example.adjective_source == static_cast<int>(source.size()) - 1);
      if (!english_first) continue;
      REQUIRE(at(source, example.animal_source) == example.animal);
      REQUIRE(at(source, example.way_source) == example.way);
      REQUIRE(at(source, example.adjective_source) == example.adjective);
    }
  }
}
