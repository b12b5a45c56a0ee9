#include "nn/data/grammar/circumstances.h"
#include "nn/data/grammar/families.h"

namespace heed::data::toy {
namespace {
using namespace kind;

Phrase feeling_clause(Draft& draft, const Subject& subject, const Verb& feeling, Polarity polarity) {
  if (polarity == Polarity::plain) return clause(draft, subject, {.verb = &feeling});
  // In French, "n'aime pas" is the negation of both loving and liking; English says "doesn't like".
  Verb like = verb("love");
  like.english = verb("like").english;
  return clause(draft, subject, {.verb = &like, .polarity = Polarity::negated});
}

Phrase doing_phrase(Draft& draft, const Verb& doing) {
  return word(draft, doing.gerund, doing.infinitive, Sort::content);
}

Phrase topic_phrase(Draft& draft, const Topic& topic) {
  Phrase phrase = noun_phrase(draft, {topic.act, Determiner::the, topic.plural});
  if (topic.body == nullptr) return phrase;
  phrase.add(prepositional(draft, "on", "sur", {.noun = topic.body, .adjectives = topic.adjectives}));
  return phrase;
}

Topic random_topic(Draft& draft) {
  Topic topic{.act = &draft.noun_of(act), .plural = draft.chance(0.3)};
  if (draft.chance(0.15)) return topic;
  topic.body = &draft.noun_of(body);
  bool outer = draft.chance(0.75), inner = !outer || draft.chance(0.75);
  if (outer) topic.adjectives.push_back(&origin_adjectives()[draft.below(origin_adjectives().size())]);
  if (inner) topic.adjectives.push_back(&field_adjectives()[draft.below(field_adjectives().size())]);
  return topic;
}

}  // namespace

Phrase identity_of(Draft& draft, const Subject& subject, Tense tense, Polarity polarity, const Noun& job) {
  Phrase phrase = copula(draft, subject, tense, polarity);
  const bool plural = subject.agreement.plural;
  int meaning = draft.meaning();
  if (!plural) say(phrase.english, "a", meaning, Sort::function, Strength::weak);
  say(phrase.english, plural ? job.english_plural : job.english, meaning, Sort::content);
  bool feminine = subject.agreement.gender == Gender::feminine;
  say(phrase.french, plural ? job.french_plural : feminine ? job.french_feminine : job.french, meaning, Sort::content);
  return phrase;
}

Phrase identity(Draft& draft) {
  Tense tense = draft.chance(0.3) ? Tense::past : Tense::present;
  Polarity polarity = random_denial(draft, 0.3);
  const Noun& job = draft.noun_of(profession);
  if (draft.chance(0.2)) {  // with an adjective the article stays: je suis un jeune étudiant
    constexpr std::string_view urn[] = {"i", "you", "we"};  // he and she would need "c'est un", another construction
    Subject subject = pronoun_subject(draft, urn[draft.below(3)]);
    constexpr std::string_view qualities[] = {"young", "good", "famous", "happy", "lazy"};
    const Adjective& quality = adjective(qualities[draft.below(5)]);
    Phrase phrase = copula(draft, subject, tense, polarity);
    phrase.add(noun_phrase(draft, {&job, Determiner::a, subject.agreement.plural, {&quality}}));
    return phrase;
  }
  if (draft.chance(0.4)) return identity_of(draft, random_pronoun(draft), tense, polarity, job);
  const Noun& who = draft.noun_of(adult);
  constexpr Determiner owners[] = {Determiner::my, Determiner::our, Determiner::your};
  Determiner determiner = who.kinds & kin     ? owners[draft.below(3)]
                          : draft.chance(0.5) ? Determiner::the
                                              : Determiner::this_;
  return identity_of(
      draft,
      noun_subject(draft, {.noun = &who, .determiner = determiner, .adjectives = random_adjectives(draft, who, 0.15)}),
      tense, polarity, job);
}

Phrase affection_of(Draft& draft, const Subject& subject, const Verb& feeling, Polarity polarity, const Verb& doing) {
  Phrase phrase = feeling_clause(draft, subject, feeling, polarity);
  phrase.add(doing_phrase(draft, doing));
  return phrase;
}

Phrase affection(Draft& draft) {
  Subject subject = random_subject(draft, person);
  Polarity polarity = random_denial(draft, 0.2);
  const Verb& feeling = affection_verbs()[draft.below(affection_verbs().size())];
  if (draft.chance(0.4)) {
    const Noun& noun = draft.noun_of(animal | food | drink | text | vehicle | garment | machine);
    Phrase phrase = feeling_clause(draft, subject, feeling, polarity);
    phrase.add(
        noun_phrase(draft, {&noun, Determiner::generic, !(noun.kinds & mass), random_adjectives(draft, noun, 0.5)}));
    return phrase;
  }
  std::vector<const Verb*> doings;
  for (const Verb& each : transitive_verbs()) {
    if (each.gerund[0] != '\0') doings.push_back(&each);
  }
  for (const Verb& each : intransitive_verbs()) doings.push_back(&each);
  const Verb& doing = *doings[draft.below(doings.size())];
  Phrase phrase = affection_of(draft, subject, feeling, polarity, doing);
  if (doing.objects != 0 && draft.chance(0.4)) {
    const Noun& noun = draft.noun_of(doing.objects);
    draft.combine(doing, noun);
    phrase.add(noun_phrase(draft, {&noun, Determiner::a, !(noun.kinds & mass), random_adjectives(draft, noun, 0.25)}));
  }
  if (draft.chance(0.25)) phrase.add(draft.chance(0.5) ? with_someone(draft) : inside(draft, room));
  return phrase;
}

Phrase title(Draft& draft) {
  auto named = [&draft] {
    constexpr Kinds subjects = person | animal | furniture | vehicle | garment | machine;
    const Noun* noun = &draft.noun_of(draft.chance(0.2) ? machine : subjects);
    while (noun->english_plural[0] == '\0') noun = &draft.noun_of(subjects);
    return noun_phrase(draft, {.noun = noun,
                               .determiner = Determiner::none,
                               .plural = true,
                               .adjectives = random_adjectives(draft, *noun, 1.0)});
  };
  Phrase phrase = named();
  if (draft.chance(0.6)) {
    phrase.add(word(draft, "and", "et", Sort::function));
    phrase.add(named());
  }
  return phrase;
}

Phrase agreement_of(Draft& draft, const Topic& topic, const ActVerb& verb, Polarity polarity, const Pair& month,
                    std::string_view year) {
  Agreement agreement{.gender = topic.act->gender, .plural = topic.plural};
  const bool negated = polarity == Polarity::negated;
  Phrase phrase = topic_phrase(draft, topic);
  int passive = draft.meaning(), negation = draft.meaning();
  say(phrase.english, be_past(agreement) + (negated ? "n't" : ""), passive, Sort::function);
  if (negated) {
    phrase.english.back().ties.push_back({negation, true});
    say(phrase.french, "ne", negation, Sort::function);
  }
  say(phrase.french, avoir_present(agreement), passive, Sort::function, Strength::weak);
  if (negated) say(phrase.french, "pas", negation, Sort::function);
  say(phrase.french, "été", passive, Sort::function);
  phrase.add(word(draft, verb.english, participle_form(verb.participle, agreement), Sort::content));
  phrase.add(in_month(draft, month, year));
  return phrase;
}

Phrase agreement(Draft& draft) {
  Topic topic = random_topic(draft);
  const ActVerb& verb = act_verbs()[draft.below(act_verbs().size())];
  const Pair& month = months()[draft.below(months().size())];
  std::string_view year = draft.chance(0.8) ? years()[draft.below(years().size())] : "";
  if (draft.chance(0.75)) return agreement_of(draft, topic, verb, random_denial(draft, 0.2), month, year);
  // The active voice: the president signed the treaty on ... in may 1990
  const Noun& who = draft.noun_of(officer);
  Phrase phrase = noun_phrase(draft, {&who, Determiner::the});
  int deed = draft.meaning();
  say(phrase.english, verb.english, deed, Sort::content);
  say(phrase.french, "a", deed, Sort::function, Strength::weak);
  say(phrase.french, verb.participle, deed, Sort::content);
  phrase.add(topic_phrase(draft, topic));
  phrase.add(in_month(draft, month, year));
  return phrase;
}

}  // namespace heed::data::toy
