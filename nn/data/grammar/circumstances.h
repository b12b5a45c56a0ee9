// Who, whom, where and when in the toy grammar: subjects, objects, places and times drawn at random, both languages at
// once.
#pragma once

#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {

// A pronoun or a noun phrase of the kinds; without pronouns unless people are among the kinds.
Subject random_subject(Draft& draft, Kinds kinds);
Subject random_pronoun(Draft& draft);

// A noun phrase as object. Under a negation "a cat" and "cats" become "de chat(s)".
NounChoice random_object(Draft& draft, const Noun& noun, bool negated);
// "a cat", "old chairs", "bread": what "there is" takes.
NounChoice random_indefinite(Draft& draft, const Noun& noun, bool negated);

Polarity random_denial(Draft& draft, double probability);  // negated or plain

// Up to two adjectives that fit the noun; with two, the one that French puts before the noun comes first in English.
std::vector<const Adjective*> random_adjectives(Draft& draft, const Noun& noun, double probability);

Phrase prepositional(Draft& draft, std::string_view english, std::string_view french, const NounChoice& choice);
Phrase inside(Draft& draft, Kinds kinds);  // in the garden, in this old house
Phrase outside(Draft& draft);              // behind the house, near the school, in front of the church
Phrase at_surface(Draft& draft);           // on the table, under the bed
Phrase with_someone(Draft& draft);         // with my friends

Phrase time_of(Draft& draft, Tense tense);                                // every morning · yesterday · in may
Phrase in_month(Draft& draft, const Pair& month, std::string_view year);  // in august 1992; year "" for none

}  // namespace heed::data::toy
