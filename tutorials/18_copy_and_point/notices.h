// Notices with names in them, and the entry that is to be written from each:
//
//   we heard that mirano gave the lamp to tukela in belosa   ->   tukela owns lamp (thing) from mirano of belosa
//   in belosa the lamp was given to tukela by mirano         ->   the same
//
// The order of giver (G), receiver (R), object (O) and town (P) differs from template to template, so a position says
// nothing: a model must understand who gave what to whom. "owns", "a" or "an", "from" and "of" are not in the source
// and must be generated.
//
// Names and towns are three syllables. 60 of them are in the vocabulary; each slot has one of these, or (with
// probability 1/2) one of 400,000 others, which no vocabulary contains. A hash of a name decides whether it may occur
// in training or in the test: a name of the test was never in any training sentence.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "nn/data/batches.h"
#include "nn/text/sentence_words.h"
#include "tensor/random.h"

namespace copying {

using Words = std::vector<std::string>;
struct Notice {
  Words source, target;
};

inline std::string random_name(heed::Generator& rng) {
  static const std::string consonants = "bdfgklmnprstvz", vowels = "aeiou";
  std::string name;
  for (int i = 0; i < 3; ++i) {
    name += consonants[static_cast<size_t>(rng.below(14))];
    name += vowels[static_cast<size_t>(rng.below(5))];
  }
  return name;
}
inline bool belongs_to_test(const std::string& name) {  // one name in four
  uint64_t hash = 1469598103934665603ull;               // FNV-1a
  for (unsigned char c : name) hash = (hash ^ c) * 1099511628211ull;
  return (hash >> 20) % 4 == 0;
}

// The 60 names that every part may use, and that are in the vocabulary.
inline const Words& known_names() {
  static const Words names = [] {
    heed::Generator rng(18);
    Words all;
    while (all.size() < 60) all.push_back(random_name(rng));
    return all;
  }();
  return names;
}
struct Object {
  std::string name, kind;
};
inline const std::array<Object, 12>& objects() {
  static const std::array<Object, 12> all{{{"lamp", "(thing)"},
                                           {"apple", "(fruit)"},
                                           {"horse", "(animal)"},
                                           {"book", "(thing)"},
                                           {"orange", "(fruit)"},
                                           {"cat", "(animal)"},
                                           {"chair", "(thing)"},
                                           {"pear", "(fruit)"},
                                           {"goat", "(animal)"},
                                           {"clock", "(thing)"},
                                           {"plum", "(fruit)"},
                                           {"goose", "(animal)"}}};
  return all;
}

enum class Order { trained, held_out };  // of the words: the eight templates of training, or two others

inline Notice make_notice(bool test, double share_unknown, Order order, heed::Generator& rng) {
  auto name = [&] {
    if (rng.uniform() >= share_unknown) return known_names()[static_cast<size_t>(rng.below(60))];
    for (;;) {
      std::string drawn = random_name(rng);
      if (belongs_to_test(drawn) != test) continue;
      if (std::find(known_names().begin(), known_names().end(), drawn) == known_names().end()) return drawn;
    }
  };
  const std::string G = name(), R = name(), P = name();
  const auto& [O, kind] = objects()[static_cast<size_t>(rng.below(12))];
  static const std::array<Words, 8> templates{{{"G", "gave", "the", "O", "to", "R", "in", "P"},
                                               {"in", "P", "the", "O", "was", "given", "to", "R", "by", "G"},
                                               {"R", "got", "the", "O", "of", "G", ",", "who", "lives", "in", "P"},
                                               {"the", "O", "from", "G", "in", "P", "reached", "R"},
                                               {"when", "R", "came", "to", "P", ",", "G", "sold", "the", "O"},
                                               {"G", "left", "P", "and", "the", "O", "to", "R"},
                                               {"R", "was", "in", "P", "to", "fetch", "the", "O", "of", "G"},
                                               {"from", "P", "came", "the", "O", "that", "R", "bought", "of", "G"}}};
  static const std::array<Words, 2> others{{{"in", "P", "R", "was", "given", "the", "O", "by", "G"},
                                            {"the", "O", "that", "G", "gave", "to", "R", "was", "in", "P"}}};
  static const std::array<Words, 4> begins{{{}, {"yesterday"}, {"we", "heard", "that"}, {"last", "week", ","}}};
  Notice n{begins[static_cast<size_t>(rng.below(4))], {}};
  const Words& form = order == Order::trained ? templates[static_cast<size_t>(rng.below(8))]
                                              : others[static_cast<size_t>(rng.below(2))];
  for (const std::string& word : form)
    n.source.push_back(word == "G" ? G : word == "R" ? R : word == "P" ? P : word == "O" ? O : word);
  n.target = {R, "owns", O, kind, "from", G, "of", P};
  return n;
}

inline std::vector<Notice> make_notices(int64_t count, bool test, double share_unknown, heed::Generator& rng,
                                        Order order = Order::trained) {
  std::vector<Notice> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(make_notice(test, share_unknown, order, rng));
  return all;
}

// Every word that is not a name, and the 60 known names.
inline heed::text::Vocabulary vocabulary() {
  heed::Generator rng(1);
  std::vector<Words> sentences{known_names()};
  for (const Notice& n : make_notices(2000, false, 0, rng))
    sentences.push_back(n.source), sentences.push_back(n.target);
  return heed::text::Vocabulary(sentences);
}

// With `extended`, words that the vocabulary lacks get the ids V, V + 1, .. of their sentence; otherwise <unk>.
inline heed::data::EncodedPair encode(const heed::text::Vocabulary& v, const Notice& n, bool extended) {
  heed::text::SentenceWords words(v, n.source);
  heed::data::EncodedPair pair{words.source(), words.encode(n.target)};
  if (!extended)
    for (auto* ids : {&pair.source, &pair.target})
      for (int64_t& id : *ids) id = id >= v.size() ? heed::text::Vocabulary::unk : id;
  return pair;
}

}  // namespace copying
