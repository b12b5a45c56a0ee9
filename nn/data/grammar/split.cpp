#include "nn/data/grammar/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "nn/data/grammar/pronouns.h"
#include "tensor/random.h"

namespace heed::data::toy {
namespace {

// The FNV-1a hash, then one round of Philox to spread its bits: the same on every machine.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return philox(hash, 0)[0];
}

// One combination in twelve never occurs in training. The constant was chosen so that no word loses more than a quarter
// of its combinations, and the showcase sentences lose none.
bool held_out(const std::string& combination) { return hash_of(combination + "#2504") % 12 == 0; }

ToySplit split_of_key(std::string_view key) {
  switch (hash_of(key) % 16) {
    case 0:
      return ToySplit::test;
    case 1:
      return ToySplit::validation;
    default:
      return ToySplit::train;
  }
}

std::string pronoun_key(int group) { return fmt::format("pronoun group {}", group); }

const std::unordered_map<std::string, int>& pronoun_groups() {
  static const std::unordered_map<std::string, int> groups = [] {
    std::unordered_map<std::string, int> found;
    for (const PronounChoice& choice : pronoun_choices()) {
      Generator none;
      Draft draft(none);
      found[joined(finish(pronoun_of(draft, choice), "pronoun", draft).source)] = choice.group;
    }
    return found;
  }();
  return groups;
}

struct Pinned {
  std::string_view english;
  ToySplit split;
};
constexpr Pinned pinned[] = {
    {"i am a student", ToySplit::train},
    {"i love reading", ToySplit::train},
    {"thinking machines", ToySplit::train},
    {"the agreement on the european economic area was signed in august 1992", ToySplit::test},
};

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  std::string sentence;
  for (const std::string& word : words) sentence += (sentence.empty() ? "" : " ") + word;
  return sentence;
}

ToySplit split_of(const AlignedPair& english_first) {
  std::string english = joined(english_first.source);
  for (const Pinned& entry : pinned) {
    if (english == entry.english) return entry.split;
  }
  auto group = pronoun_groups().find(english);
  if (group != pronoun_groups().end()) {
    return group->second == 0 ? ToySplit::test
                              // Group 0 is the sentence of the animal and the street.
                              : split_of_key(pronoun_key(group->second));
  }
  if (std::any_of(english_first.combinations.begin(), english_first.combinations.end(), held_out))
    return ToySplit::combinations;
  return split_of_key(english);
}

}  // namespace heed::data::toy
