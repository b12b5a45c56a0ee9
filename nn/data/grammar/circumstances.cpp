#include "nn/data/grammar/circumstances.h"

#include <algorithm>

namespace heed::data::toy {
namespace {
using namespace kind;

constexpr Kinds ownable = kin | animal | furniture | vehicle | garment | text | machine | food;

Determiner owner(Draft& draft) {
  constexpr Determiner owners[] = {Determiner::my, Determiner::my, Determiner::our, Determiner::your};
  return owners[draft.below(4)];
}

// Draws one of the definite determiners that fit the noun.
Determiner definite(Draft& draft, const Noun& noun) {
  if ((noun.kinds & kin) || ((noun.kinds & ownable) && draft.chance(0.25))) return owner(draft);
  return draft.chance(0.25) ? Determiner::this_ : Determiner::the;
}

bool can_be_plural(const Noun& noun) { return noun.english_plural[0] != '\0'; }

}  // namespace

std::vector<const Adjective*> random_adjectives(Draft& draft, const Noun& noun, double probability) {
  if (!draft.chance(probability)) return {};
  const Adjective* first = draft.attributive(noun);
  if (first == nullptr) return {};
  if (!draft.chance(0.2)) return {first};
  const Adjective* second = draft.attributive(noun);
  if (first->before_noun == second->before_noun) return {first};
  return first->before_noun ? std::vector{first, second} : std::vector{second, first};
}

Polarity random_denial(Draft& draft, double probability) {
  return draft.chance(probability) ? Polarity::negated : Polarity::plain;
}

Subject random_pronoun(Draft& draft) {
  constexpr std::string_view urn[] = {"i",  "i",  "i",  "i",  "you", "you", "you",  "you",
                                      "we", "we", "we", "we", "he",  "she", "they", "they"};
  return pronoun_subject(draft, urn[draft.below(std::size(urn))]);
}

Subject random_subject(Draft& draft, Kinds kinds) {
  if ((kinds & (person | folk)) && draft.chance(kinds & person ? 0.6 : 0.47)) return random_pronoun(draft);
  const Noun& noun = draft.noun_of(kinds);
  bool plural = can_be_plural(noun) && draft.chance(0.4);
  Determiner determiner = definite(draft, noun);
  if (!(noun.kinds & kin) && draft.chance(0.15)) determiner = plural ? Determiner::two_to_six : Determiner::a;
  return noun_subject(draft, {&noun, determiner, plural, random_adjectives(draft, noun, 0.25)});
}

NounChoice random_indefinite(Draft& draft, const Noun& noun, bool negated) {
  NounChoice choice{&noun, negated ? Determiner::not_a : Determiner::a};
  choice.plural = can_be_plural(noun) && draft.chance(0.45);
  // "pas de souris" does not show the number; we always translate it with the English plural.
  if (negated && can_be_plural(noun) && std::string_view(noun.french) == noun.french_plural) choice.plural = true;
  choice.adjectives = random_adjectives(draft, noun, 0.45);
  if (choice.plural && !negated && draft.chance(0.3)) choice.determiner = Determiner::two_to_six;
  return choice;
}

NounChoice random_object(Draft& draft, const Noun& noun, bool negated) {
  bool places = (noun.kinds & (way | building)) != 0;
  bool known = places || (noun.kinds & kin) || (negated && (noun.kinds & person));
  if (!known && draft.chance(0.5)) return random_indefinite(draft, noun, negated);
  bool plural = can_be_plural(noun) && draft.chance(places ? 0.15 : 0.35);
  return {&noun, definite(draft, noun), plural, random_adjectives(draft, noun, 0.4)};
}

Phrase prepositional(Draft& draft, std::string_view english, std::string_view french, const NounChoice& choice) {
  Phrase phrase = word(draft, english, french, Sort::function);
  phrase.add(noun_phrase(draft, choice));
  return phrase;
}

Phrase inside(Draft& draft, Kinds kinds) {
  const Noun& place = draft.noun_of(kinds);
  Determiner determiner = draft.chance(0.2) ? Determiner::this_ : draft.chance(0.15) ? owner(draft) : Determiner::the;
  return prepositional(draft, "in", "dans",
                       {.noun = &place, .determiner = determiner, .adjectives = random_adjectives(draft, place, 0.1)});
}

Phrase outside(Draft& draft) {
  const Noun& place = draft.noun_of(building);
  constexpr Pair prepositions[] = {{"near", "près de"}, {"behind", "derrière"}, {"in front of", "devant"}};
  const Pair& preposition = prepositions[draft.below(3)];
  bool plural = can_be_plural(place) && draft.chance(0.15);
  return prepositional(draft, preposition.english, preposition.french,
                       {&place, Determiner::the, plural, random_adjectives(draft, place, 0.1)});
}

Phrase at_surface(Draft& draft) {
  const Noun& place = draft.noun_of(surface);
  bool on = draft.chance(0.5);
  return prepositional(
      draft, on ? "on" : "under", on ? "sur" : "sous",
      {.noun = &place, .determiner = definite(draft, place), .adjectives = random_adjectives(draft, place, 0.15)});
}

Phrase with_someone(Draft& draft) {
  const Noun* someone = &draft.noun_of(kin);
  while (!can_be_plural(*someone)) someone = &draft.noun_of(kin);
  return prepositional(draft, "with", "avec", {someone, owner(draft), draft.chance(0.4)});
}

Phrase in_month(Draft& draft, const Pair& month, std::string_view year) {
  Phrase phrase = word(draft, "in", "en", Sort::function);
  phrase.add(word(draft, month.english, month.french, Sort::content));
  phrase.add(word(draft, year, year, Sort::content));
  return phrase;
}

Phrase time_of(Draft& draft, Tense tense) {
  if (tense == Tense::past) {
    if (draft.chance(0.5)) return word(draft, "yesterday", "hier", Sort::content);
    return in_month(draft, months()[draft.below(months().size())], "");
  }
  constexpr Pair recurring[] = {{"morning", "matins"}, {"evening", "soirs"}, {"sunday", "dimanches"}};
  const Pair& when = recurring[draft.below(3)];
  Phrase phrase;
  int every = draft.meaning(), time = draft.meaning();
  say(phrase.english, "every", every, Sort::function);
  say(phrase.english, when.english, time, Sort::content);
  say(phrase.french, "tous", every, Sort::function);
  say(phrase.french, "les", every, Sort::function, Strength::weak);
  say(phrase.french, when.french, time, Sort::content);
  return phrase;
}

}  // namespace heed::data::toy
