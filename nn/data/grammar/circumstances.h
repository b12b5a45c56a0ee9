// Subjects, objects, places and times of the toy grammar, drawn at random and built in both languages at once.
#pragma once

#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {

// A pronoun, or a noun phrase of one of the kinds. Pronouns are drawn only if people are among the kinds.
Subject random_subject(Draft& draft, Kinds kinds);
Subject random_pronoun(Draft& draft);

// A noun phrase as an object. After a negation, "a cat" and "cats" become "de chat(s)".
NounChoice random_object(Draft& draft, const Noun& noun, bool negated);
// "a cat", "old chairs", "bread": what can follow "there is".
NounChoice random_indefinite(Draft& draft, const Noun& noun, bool negated);

Polarity random_denial(Draft& draft, double probability);  // negated with this probability, otherwise plain

// Up to two adjectives that fit the noun. With two, the one that stands before the noun in French is first in English.
std::vector<const Adjective*> random_adjectives(Draft& draft, const Noun& noun, double probability);

Phrase prepositional(Draft& draft, std::string_view english, std::string_view french, const NounChoice& choice);
Phrase inside(Draft& draft, Kinds kinds);  // in the garden, in this old house
Phrase outside(Draft& draft);              // behind the house, near the school, in front of the church
Phrase at_surface(Draft& draft);           // on the table, under the bed
Phrase with_someone(Draft& draft);         // with my friends

Phrase time_of(Draft& draft, Tense tense);                                // every morning · yesterday · in may
Phrase in_month(Draft& draft, const Pair& month, std::string_view year);  // in august 1992; year "" for none

}  // namespace heed::data::toy
