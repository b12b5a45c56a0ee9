#include "nn/data/grammar/pronouns.h"

#include <algorithm>

namespace heed::data::toy {
namespace {

constexpr size_t animals_each = 6, ways_each = 4;  // per gender, the first ones in the table
constexpr int verbs = 3;

std::vector<const Noun*> of_gender(Kinds kinds, Gender gender, size_t count) {
  std::vector<const Noun*> found = nouns_of(kinds);
  std::erase_if(found, [gender](const Noun* each) { return each->gender != gender; });
  found.resize(std::min(count, found.size()));
  return found;
}

std::vector<PronounChoice> make_choices() {
  const auto male = of_gender(kind::animal, Gender::masculine, animals_each);
  const auto female = of_gender(kind::animal, Gender::feminine, animals_each);
  const auto male_way = of_gender(kind::way, Gender::masculine, ways_each);
  const auto female_way = of_gender(kind::way, Gender::feminine, ways_each);
  std::vector<PronounChoice> all;
  int group = 0;
  for (int verb = 0; verb < verbs; ++verb) {
    for (bool very : {false, true}) {
      for (size_t a = 0; a < male.size(); ++a) {
        for (size_t w = 0; w < male_way.size(); ++w) {
          for (size_t r = 0; r < animal_adjectives().size(); ++r, ++group) {
            const Adjective *tired = &animal_adjectives()[r], *wide = &way_adjectives()[r];
            all.push_back({male[a], female_way[w], tired, true, verb, very, group});
            all.push_back({male[a], female_way[w], wide, false, verb, very, group});
            all.push_back({female[a], male_way[w], tired, true, verb, very, group});
            all.push_back({female[a], male_way[w], wide, false, verb, very, group});
          }
        }
      }
    }
  }
  return all;
}

// "the animal couldn't cross" -> "l' animal n' a pas pu traverser"
Phrase could_not(Draft& draft, const Subject& subject, const Verb& verb) {
  Phrase phrase = subject.phrase;
  int inability = draft.meaning(), deed = draft.meaning();
  say(phrase.english, "couldn't", inability, Sort::function);
  say(phrase.english, verb.english, deed, Sort::content);
  say(phrase.french, "ne", inability, Sort::function);
  say(phrase.french, "a", inability, Sort::function, Strength::weak);
  say(phrase.french, "pas", inability, Sort::function);
  say(phrase.french, "pu", inability, Sort::function);
  say(phrase.french, verb.infinitive, deed, Sort::content);
  return phrase;
}

}  // namespace

const std::vector<PronounChoice>& pronoun_choices() {
  static const std::vector<PronounChoice> all = make_choices();
  return all;
}

Phrase pronoun_of(Draft& draft, const PronounChoice& choice) {
  Subject subject = noun_subject(draft, {choice.animal, Determiner::the});
  const Verb& action = verb(choice.verb == 1 ? "take" : "cross");
  Phrase phrase = choice.verb == 2
                      ? could_not(draft, subject, action)
                      : clause(draft, subject, {.verb = &action, .tense = Tense::past, .polarity = Polarity::negated});
  phrase.add(noun_phrase(draft, {choice.way, Determiner::the}));
  phrase.add(word(draft, "because", "parce que", Sort::function));
  Agreement it{.gender = choice.points_to_animal ? choice.animal->gender : choice.way->gender};
  Subject pronoun{word(draft, "it", it.gender == Gender::feminine ? "elle" : "il", Sort::function), it};
  phrase.add(copula(draft, pronoun, Tense::past, Polarity::plain));
  phrase.add(word(draft, choice.very ? "very" : "too", choice.very ? "très" : "trop", Sort::function));
  phrase.add(word(draft, choice.reason->english, adjective_form(*choice.reason, it, ""), Sort::content));
  return phrase;
}

Phrase pronoun(Draft& draft) { return pronoun_of(draft, pronoun_choices()[draft.below(pronoun_choices().size())]); }

}  // namespace heed::data::toy
