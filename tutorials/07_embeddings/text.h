// The training text: sentences of the toy grammar as word ids, and the class of each word in the grammar's lexicon.
//
//   the old tiger drinks water   ->   4 118 63 87 21
//
// No model sees the classes. They are used only to measure.
#pragma once

#include <map>
#include <set>

#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/text/unicode.h"
#include "nn/text/vocabulary.h"
#include "tensor/random.h"

namespace heed {

using Sentences = std::vector<std::vector<int64_t>>;

struct Text {
  text::Vocabulary words;  // ids 0 to 3 are special symbols such as <pad>, which occur in no sentence
  Sentences sentences;
  int64_t tokens() const {
    int64_t n = 0;
    for (const auto& s : sentences) n += std::ssize(s);
    return n;
  }
};

inline Text read_text(int64_t sentences, uint64_t seed) {
  auto pairs = data::toy_corpus(
                   {.train = static_cast<int>(sentences), .validation = 0, .test = 0, .combinations = 0, .seed = seed})
                   .train;
  std::vector<std::vector<std::string>> english;
  for (const data::AlignedPair& pair : pairs) english.push_back(pair.source);
  Text text{text::Vocabulary(english), {}};
  for (const auto& sentence : english) text.sentences.push_back(text.words.encode(sentence));
  return text;
}

// The control: the same words in random order, in sentences of the same lengths. Neighbours carry no information.
inline Sentences shuffled(const Sentences& sentences, Generator& rng) {
  std::vector<int64_t> all;
  for (const auto& s : sentences) all.insert(all.end(), s.begin(), s.end());
  rng.shuffle(all);
  Sentences out;
  auto next = all.begin();
  for (const auto& s : sentences) out.emplace_back(next, next + std::ssize(s)), next += std::ssize(s);
  return out;
}

// Word classes of the lexicon. A word may have several. Articles, pronouns and prepositions have none.
class WordClasses {
 public:
  WordClasses() {
    using namespace data::toy;
    for (const Noun& n : nouns()) add("noun", {n.english, n.english_plural}), kinds_[n.english] = n.kinds;
    for (auto table : {adjectives(), origin_adjectives(), field_adjectives(), animal_adjectives(), way_adjectives()})
      for (const Adjective& a : table) add("adjective", {a.english});
    auto verb = [&](const Verb& v) { add("verb", {v.english, v.third, v.past, v.gerund}); };
    for (auto table : {transitive_verbs(), intransitive_verbs(), reflexive_verbs(), affection_verbs()})
      for (const Verb& v : table) verb(v);
    for (const Motion& m : motion_verbs()) verb(m.verb);
    verb(possession_verb());
    for (const ActVerb& v : act_verbs()) add("verb", {v.english});
    for (const Pair& m : months()) add("month", {m.english});
    for (const char* y : years()) add("year", {y});
    for (const Pair& n : numbers()) add("number", {n.english});
  }

  const std::set<std::string>& of(const std::string& word) const {
    static const std::set<std::string> none;
    auto found = classes_.find(word);
    return found == classes_.end() ? none : found->second;
  }
  bool share(const std::string& a, const std::string& b) const {
    for (const std::string& name : of(a))
      if (of(b).count(name)) return true;
    return false;
  }
  // Bits for the kinds of a singular noun (nn/data/grammar/lexicon.h); 0 for other words.
  data::toy::Kinds kinds(const std::string& word) const {
    auto found = kinds_.find(word);
    return found == kinds_.end() ? 0 : found->second;
  }

 private:
  void add(const std::string& name, std::initializer_list<std::string> words) {
    for (const std::string& word : words) {
      if (!word.empty()) classes_[text::lower(word)].insert(name);
    }
  }
  std::map<std::string, std::set<std::string>> classes_;
  std::map<std::string, data::toy::Kinds> kinds_;
};

}  // namespace heed
