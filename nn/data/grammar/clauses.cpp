// Subject and verb of the toy grammar, both languages at once.
//
// clang-format off
//   negated   he doesn't eat -> il ne mange pas        he didn't eat -> il n' a pas mangé
//   never     he never eats  -> il ne mange jamais     also often, always: in English before
//                                                      the verb, in French after it
//   past      he ate -> il a mangé · she went -> elle est allée
//             she stopped -> elle s' est arrêtée
// clang-format on
#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {
namespace {

std::string_view clitic(Agreement agreement) {
  if (agreement.person == Person::second) return "vous";
  if (agreement.person == Person::first) return agreement.plural ? "nous" : "me";
  return "se";
}

// The words that a polarity adds around the verb: in English before it, in French before and after the conjugated form.
struct Around {
  std::string_view english, french_before, french_behind;
  Sort sort;
};

Around around(Polarity polarity, Tense tense, Agreement agreement) {
  bool third = agreement.person == Person::third && !agreement.plural;
  switch (polarity) {
    case Polarity::plain:
      break;
    case Polarity::negated:
      return {tense == Tense::past ? "didn't" : third ? "doesn't" : "don't", "ne", "pas", Sort::function};
    case Polarity::never:
      return {"never", "ne", "jamais", Sort::function};
    case Polarity::often:
      return {"often", "", "souvent", Sort::content};
    case Polarity::always:
      return {"always", "", "toujours", Sort::content};
  }
  return {"", "", "", Sort::function};
}

}  // namespace

Phrase clause(Draft& draft, const Subject& subject, const VerbChoice& choice) {
  const Verb& verb = *choice.verb;
  const Agreement agreement = subject.agreement;
  const bool past = choice.tense == Tense::past, negated = choice.polarity == Polarity::negated;
  const bool etre = verb.perfect != Perfect::avoir;
  const Around words = around(choice.polarity, choice.tense, agreement);
  const int modifier = draft.meaning(), action = draft.meaning();

  Phrase phrase = subject.phrase;
  std::vector<Token>& english = phrase.english;
  say(english, words.english, modifier, words.sort);
  say(english, negated ? verb.english : past ? verb.past : english_present(verb, agreement), action, Sort::content);
  say(english, verb.particle, action, Sort::function);

  std::vector<Token>& french = phrase.french;
  say(french, words.french_before, modifier, words.sort);
  if (verb.perfect == Perfect::reflexive) say(french, clitic(agreement), action, Sort::function, Strength::weak);
  if (past) {
    say(french, etre ? etre_present(agreement) : avoir_present(agreement), action, Sort::function, Strength::weak);
    if (negated) french.back().ties.push_back({modifier, false});  // "did" in "didn't" carries the tense
  } else {
    say(french, present_form(verb, agreement), action, Sort::content);
  }
  say(french, words.french_behind, modifier, words.sort);
  if (past) say(french, etre ? participle_form(verb.participle, agreement) : verb.participle, action, Sort::content);
  return phrase;
}

Phrase copula(Draft& draft, const Subject& subject, Tense tense, Polarity polarity) {
  const bool negated = polarity == Polarity::negated;
  const bool past = tense == Tense::past;
  const int being = draft.meaning(), negation = draft.meaning();
  Phrase phrase = subject.phrase;
  std::string be = past ? be_past(subject.agreement) : be_present(subject.agreement);
  if (negated && be == "am") {
    say(phrase.english, "am", being, Sort::function);
    say(phrase.english, "not", negation, Sort::function);
  } else {
    say(phrase.english, negated ? be + "n't" : be, being, Sort::function);
    if (negated) phrase.english.back().ties.push_back({negation, true});
  }
  if (negated) say(phrase.french, "ne", negation, Sort::function);
  say(phrase.french, past ? etre_imperfect(subject.agreement) : etre_present(subject.agreement), being, Sort::function);
  if (negated) say(phrase.french, "pas", negation, Sort::function);
  return phrase;
}

}  // namespace heed::data::toy
