// Phrases of the toy grammar: both languages are built together, and the alignment follows from how they were built.
//
// A meaning is a number. A function that adds words in both languages takes a new meaning and ties the tokens of both
// sides to it; in the end, two tokens are linked if they share a meaning. Words may change their order ("economic area"
// -> "zone économique"), split ("doesn't" -> "ne ... pas"), multiply ("potato" -> "pomme de terre") or vanish, and the
// links are still correct.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/data/alignment.h"
#include "nn/data/grammar/lexicon.h"
#include "nn/data/grammar/morphology.h"
#include "tensor/random.h"

namespace heed::data::toy {

struct Phrase {
  std::vector<Token> english, french;
  void add(Phrase next);  // appends both sides
};

// What a sentence uses while it is built: random draws, new meanings, and a record of which words were combined.
class Draft {
 public:
  explicit Draft(Generator& random) : random_(random) {}

  int meaning() { return next_meaning_++; }
  bool chance(double probability) { return random_.uniform() < probability; }
  size_t below(size_t n) { return static_cast<size_t>(random_.below(static_cast<int64_t>(n))); }
  const Noun& noun_of(Kinds any);
  const Adjective* attributive(const Noun& noun);  // nullptr if none fits

  // Records that two words were combined, for the held-out combinations. The pronoun family uses the same adjectives
  // with all its nouns, so its combinations are not recorded.
  void combine(const Adjective& quality, const Noun& noun);
  void combine(const Verb& verb, const Noun& object);
  const std::vector<std::string>& combinations() const { return combinations_; }

 private:
  Generator& random_;
  int next_meaning_ = 0;
  std::vector<std::string> combinations_;
};

enum class Sort { content, function };
enum class Strength { sure, weak };

// Appends the words of `text`, tied to `meaning`. In "pomme de terre" and "près de", "de" is a weak function word.
void say(std::vector<Token>& side, std::string_view spoken, int meaning, Sort sort, Strength strength = Strength::sure);
// A phrase whose two sides share one new meaning.
Phrase word(Draft& draft, std::string_view english, std::string_view french, Sort sort);

enum class Determiner {
  none,     // thinking machines -> machines pensantes
  generic,  // (love) cats -> les chats
  the,
  a,      // a cat -> un chat; cats -> des chats, de petits chats; bread -> du pain
  not_a,  // the same after a negation: pas de chat
  this_,
  my,
  our,
  your,
  two_to_six,
};

struct NounChoice {
  const Noun* noun;
  Determiner determiner = Determiner::the;
  bool plural = false;
  std::vector<const Adjective*> adjectives = {};  // in English order
};
Phrase noun_phrase(Draft& draft, const NounChoice& choice);

struct Subject {
  Phrase phrase;
  Agreement agreement;
};
Subject pronoun_subject(Draft& draft, std::string_view english);  // i, you, he, she, we, they
Subject noun_subject(Draft& draft, const NounChoice& choice);

enum class Tense { present, past };
enum class Polarity { plain, negated, never, often, always };

struct VerbChoice {
  const Verb* verb;
  Tense tense = Tense::present;
  Polarity polarity = Polarity::plain;
};
// Subject and verb: "the cat didn't stop" -> "le chat ne s' est pas arrêté". The caller appends the rest.
Phrase clause(Draft& draft, const Subject& subject, const VerbChoice& choice);
// Subject and a form of "be": "i am not", "je ne suis pas". "was" becomes the imperfect, the past tense of states. The
// polarity must be plain or negated.
Phrase copula(Draft& draft, const Subject& subject, Tense tense, Polarity polarity);

// Joins the words and derives the links. English is the source.
AlignedPair finish(Phrase phrase, std::string_view family, const Draft& draft);

}  // namespace heed::data::toy
