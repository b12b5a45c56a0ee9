// The pronoun family: sentences in which "it" can be translated only by knowing which noun it refers to.
//
// clang-format off
//   the animal didn't cross the street because it was too tired
//     -> ... parce qu' il était trop fatigué        (l'animal, m)
//   the animal didn't cross the street because it was too wide
//     -> ... parce qu' elle était trop large        (la rue, f)
//   the mouse didn't cross the bridge because it was too tired
//     -> ... parce qu' elle était trop fatiguée     (la souris, f)
//   the mouse didn't cross the bridge because it was too wide
//     -> ... parce qu' il était trop large          (le pont, m)
// clang-format on
//
// The adjective determines the noun, and the noun determines il or elle; each alone gives no information. The animal
// and the way always differ in gender, and the family consists of groups of four sentences as above, so it is exactly
// balanced: given the adjective alone, or both nouns alone, il and elle are equally frequent. (Such sentences are
// Winograd schemas; this one is from the article that Google published beside the transformer: Uszkoreit, 2017.)
#pragma once

#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {

struct PronounChoice {
  const Noun* animal;
  const Noun* way;
  const Adjective* reason;
  bool points_to_animal;
  int verb = 0;       // didn't cross, didn't take, couldn't cross
  bool very = false;  // "very"; otherwise "too"
  int group = 0;      // the four sentences that balance each other have the same number
};
const std::vector<PronounChoice>& pronoun_choices();  // the whole family, group by group

Phrase pronoun_of(Draft& draft, const PronounChoice& choice);
Phrase pronoun(Draft& draft);  // one of them, at random

}  // namespace heed::data::toy
