// The constructions of the toy grammar. Each one (a "family") generates sentences of one form; those in
// named_families.cpp can also be told what to say. In this file a polarity is plain or negated.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {

struct Family {
  const char* name;
  int weight;  // its relative frequency in a corpus
  Phrase (*make)(Draft& draft);
};
std::span<const Family> families();

// families.cpp: what people and animals do and have, and what they are like.
Phrase action(Draft& draft);        // the dog chased the cat · we don't read newspapers
Phrase possession(Draft& draft);    // he doesn't have a car -> il n' a pas de voiture
Phrase motion(Draft& draft);        // she went to the market -> elle est allée au marché
Phrase reflexive(Draft& draft);     // the car stopped -> la voiture s' est arrêtée
Phrase intransitive(Draft& draft);  // the girls sing in the garden
Phrase existence(Draft& draft);     // there is a cat under the table -> il y a un chat sous la table
Phrase description(Draft& draft);   // the chairs aren't white -> les chaises ne sont pas blanches
Phrase part_of(Draft& draft);       // the door of the museum is green -> la porte du musée est verte

// named_families.cpp: the well-known example sentences of the field.
// i am a student -> je suis étudiant: French has no article here, except before an adjective.
Phrase identity(Draft& draft);
Phrase identity_of(Draft& draft, const Subject& subject, Tense tense, Polarity polarity, const Noun& job);

// i love reading -> j' aime lire; she likes cats -> elle aime bien les chats;
// he doesn't like tea -> il n' aime pas le thé
Phrase affection(Draft& draft);
Phrase affection_of(Draft& draft, const Subject& subject, const Verb& feeling, Polarity polarity, const Verb& doing);

// thinking machines -> machines pensantes: a title, without an article.
Phrase title(Draft& draft);

// the agreement on the european economic area was signed in august 1992
// -> l' accord sur la zone économique européenne a été signé en août 1992
struct Topic {
  const Noun* act;
  bool plural = false;
  const Noun* body = nullptr;                     // null: "the agreement" alone
  std::vector<const Adjective*> adjectives = {};  // adjectives of the body
};
Phrase agreement(Draft& draft);
Phrase agreement_of(Draft& draft, const Topic& topic, const ActVerb& verb, Polarity polarity, const Pair& month,
                    std::string_view year);

}  // namespace heed::data::toy
