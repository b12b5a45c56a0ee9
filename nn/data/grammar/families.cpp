#include "nn/data/grammar/families.h"

#include "nn/data/grammar/circumstances.h"
#include "nn/data/grammar/pronouns.h"

namespace heed::data::toy {
namespace {
using namespace kind;

Polarity random_polarity(Draft& draft) {
  double u = static_cast<double>(draft.below(100));
  return u < 60   ? Polarity::plain
         : u < 83 ? Polarity::negated
         : u < 90 ? Polarity::never
         : u < 96 ? Polarity::often
                  : Polarity::always;
}

Tense random_tense(Draft& draft, double past = 0.35) { return draft.chance(past) ? Tense::past : Tense::present; }

// "i read a book" could be past or present. If the verb form does not show the past, the grammar does not use it.
bool shows_past(const Verb& verb, Polarity polarity) {
  return polarity == Polarity::negated || std::string_view(verb.english) != verb.past;
}

bool denies(Polarity polarity) { return polarity == Polarity::negated || polarity == Polarity::never; }

bool takes_time(Polarity polarity) { return polarity == Polarity::plain || polarity == Polarity::negated; }

Phrase attribute(Draft& draft, const Noun* noun, Agreement agreement, std::vector<const Adjective*> fitting) {
  const Adjective& quality = *fitting[draft.below(fitting.size())];
  if (noun != nullptr) draft.combine(quality, *noun);
  Phrase phrase;
  constexpr Kinds only_coloured = vehicle | garment | part;  // a colour: very tired, but not very green
  if ((quality.predicative & only_coloured) != only_coloured && draft.chance(0.35)) {
    bool very = draft.chance(0.6);
    phrase = word(draft, very ? "very" : "too", very ? "très" : "trop", Sort::function);
  }
  phrase.add(word(draft, quality.english, adjective_form(quality, agreement, ""), Sort::content));
  return phrase;
}

// A verb without an object, with tense, polarity and time; `where` is placed between the verb and the time.
Phrase happening(Draft& draft, const Subject& subject, const Verb& verb, Phrase where, double time) {
  VerbChoice choice{&verb, random_tense(draft, 0.5), random_polarity(draft)};
  Phrase phrase = clause(draft, subject, choice);
  phrase.add(std::move(where));
  if (takes_time(choice.polarity) && draft.chance(time)) phrase.add(time_of(draft, choice.tense));
  return phrase;
}

}  // namespace

Phrase action(Draft& draft) {
  const Verb& verb = transitive_verbs()[draft.below(transitive_verbs().size())];
  bool by_animal = verb.animal_subject && draft.chance(0.3);
  VerbChoice choice{&verb, random_tense(draft), random_polarity(draft)};
  if (!shows_past(verb, choice.polarity)) choice.tense = Tense::present;
  Phrase phrase = clause(draft, random_subject(draft, by_animal ? animal : person), choice);
  const Noun& object = draft.noun_of(verb.objects);
  draft.combine(verb, object);
  phrase.add(noun_phrase(draft, random_object(draft, object, denies(choice.polarity))));
  if (!by_animal && draft.chance(0.3)) {
    bool placed = object.kinds & (furniture | food | drink | text | machine);
    Kinds where = object.kinds & (food | drink) ? dining : room;
    phrase.add(placed && draft.chance(0.7) ? inside(draft, where) : with_someone(draft));
  }
  if (takes_time(choice.polarity) && draft.chance(0.3)) phrase.add(time_of(draft, choice.tense));
  return phrase;
}

Phrase possession(Draft& draft) {
  Polarity polarity = random_denial(draft, 0.4);
  Phrase phrase = clause(draft, random_subject(draft, person), {.verb = &possession_verb(), .polarity = polarity});
  const Noun& object = draft.noun_of(possession_verb().objects);
  draft.combine(possession_verb(), object);
  phrase.add(noun_phrase(draft, random_indefinite(draft, object, denies(polarity))));
  return phrase;
}

Phrase motion(Draft& draft) {
  const Motion& move = motion_verbs()[draft.below(motion_verbs().size())];
  const Noun& place = draft.noun_of(goal);
  NounChoice choice{.noun = &place,
                    .determiner = draft.chance(0.2) ? Determiner::this_ : Determiner::the,
                    .adjectives = random_adjectives(draft, place, 0.1)};
  if (place.english_plural[0] != '\0' && draft.chance(0.12)) choice.plural = true;
  Phrase where = prepositional(draft, move.english_preposition, move.french_preposition, choice);
  if (draft.chance(0.1)) where.add(with_someone(draft));
  return happening(draft, random_subject(draft, folk), move.verb, std::move(where), 0.35);
}

Phrase reflexive(Draft& draft) {
  const Verb& verb = reflexive_verbs()[draft.below(reflexive_verbs().size())];
  std::string_view what = verb.english;
  Kinds kinds = verb.animal_subject && draft.chance(0.25) ? (what == "stop" ? vehicle : animal) : folk;
  Phrase where;
  if (what == "stop") where = outside(draft);
  if (what == "walk") where = draft.chance(0.7) ? inside(draft, outdoors) : with_someone(draft);
  if (what == "rest" && draft.chance(0.7)) where = inside(draft, room);
  if (what == "wake" && draft.chance(0.5)) where = inside(draft, building | room);
  return happening(draft, random_subject(draft, kinds), verb, std::move(where), what == "wake" ? 0.6 : 0.3);
}

Phrase intransitive(Draft& draft) {
  const Verb& verb = intransitive_verbs()[draft.below(intransitive_verbs().size())];
  bool by_animal = verb.animal_subject && draft.chance(0.25);
  Subject subject = random_subject(draft, by_animal ? animal : person);
  Phrase where;
  if (by_animal) {
    where = draft.chance(0.5) ? at_surface(draft) : inside(draft, room);
  } else if (draft.chance(0.75)) {
    where = draft.chance(0.75) ? inside(draft, building | room) : with_someone(draft);
  }
  return happening(draft, subject, verb, std::move(where), 0.25);
}

Phrase existence(Draft& draft) {
  const Noun& noun = draft.noun_of(furniture | animal | text | vehicle | machine | food);
  bool negated = !(noun.kinds & mass) && draft.chance(0.25);
  NounChoice choice = random_indefinite(draft, noun, negated);
  if (negated && choice.plural) negated = false, choice.determiner = Determiner::a;
  Phrase phrase;
  int being = draft.meaning(), negation = draft.meaning();
  std::string be = choice.plural ? "are" : "is";
  say(phrase.english, "there", being, Sort::function);
  say(phrase.english, negated ? be + "n't" : be, being, Sort::function);
  say(phrase.french, "il", being, Sort::function);
  if (negated) {
    phrase.english.back().ties.push_back({negation, true});
    say(phrase.french, "ne", negation, Sort::function);
  }
  say(phrase.french, "y a", being, Sort::function);
  if (negated) say(phrase.french, "pas", negation, Sort::function);
  phrase.add(noun_phrase(draft, choice));
  if (noun.kinds & vehicle) {
    phrase.add(outside(draft));
  } else if (noun.kinds & (text | food) || (noun.kinds & animal && draft.chance(0.5))) {
    phrase.add(at_surface(draft));
  } else {
    phrase.add(inside(draft, room));
  }
  return phrase;
}

Phrase description(Draft& draft) {
  Tense tense = draft.chance(0.35) ? Tense::past : Tense::present;
  Polarity polarity = random_denial(draft, 0.3);
  if (draft.chance(0.2)) {
    Subject subject = random_pronoun(draft);
    Phrase phrase = copula(draft, subject, tense, polarity);
    phrase.add(attribute(draft, nullptr, subject.agreement, predicative_of(noun("boy"))));
    return phrase;
  }
  const Noun& who =
      draft.noun_of(person | animal | furniture | food | drink | text | vehicle | garment | machine | building | way);
  bool plural = who.english_plural[0] != '\0' && draft.chance(0.4);
  Determiner determiner = draft.chance(0.25) ? Determiner::this_ : Determiner::the;
  if (who.kinds & kin) determiner = draft.chance(0.5) ? Determiner::my : Determiner::our;
  Subject subject = noun_subject(draft, {&who, determiner, plural});
  Phrase phrase = copula(draft, subject, tense, polarity);
  phrase.add(attribute(draft, &who, subject.agreement, predicative_of(who)));
  return phrase;
}

Phrase part_of(Draft& draft) {
  const Noun &piece = draft.noun_of(part), &whole = draft.noun_of(building);
  bool plural = draft.chance(0.35);
  Phrase of_whole = prepositional(draft, "of", "de",
                                  {&whole, draft.chance(0.2) ? Determiner::this_ : Determiner::the,
                                   plural && whole.english_plural[0] != '\0', random_adjectives(draft, whole, 0.2)});
  if (draft.chance(0.5)) {
    constexpr std::string_view deeds[] = {"paint", "repair", "see", "look"};
    size_t first = std::string_view(piece.english) == "key" ? 2 : 0;  // nobody paints a key or looks for a roof
    VerbChoice choice{&verb(deeds[first + draft.below(first == 2 ? 2 : 3)]), random_tense(draft),
                      random_denial(draft, 0.25)};
    Phrase phrase = clause(draft, random_subject(draft, person), choice);
    draft.combine(*choice.verb, piece);
    phrase.add(noun_phrase(draft, {&piece, Determiner::the, plural, random_adjectives(draft, piece, 0.2)}));
    phrase.add(std::move(of_whole));
    return phrase;
  }
  Subject subject = noun_subject(draft, {&piece, Determiner::the, plural});
  subject.phrase.add(std::move(of_whole));
  Tense tense = random_tense(draft);
  Phrase phrase = copula(draft, subject, tense, random_denial(draft, 0.25));
  phrase.add(attribute(draft, &piece, subject.agreement, predicative_of(piece)));
  return phrase;
}

std::span<const Family> families() {
  static constexpr Family table[] = {
      {"action", 38, action},
      {"possession", 4, possession},
      {"motion", 11, motion},
      {"reflexive", 13, reflexive},
      {"intransitive", 10, intransitive},
      {"existence", 6, existence},
      {"description", 7, description},
      {"part_of", 4, part_of},
      {"identity", 10, identity},
      {"affection", 9, affection},
      {"title", 4, title},
      {"agreement", 9, agreement},
      {"pronoun", 9, pronoun},
  };
  return table;
}

}  // namespace heed::data::toy
