// The pronoun family: a sentence in which "it" can be translated only by one who knows what it points to.
//
//   the animal didn't cross the street because it was too tired -> ... parce qu' il était trop fatigué   (l'animal, m)
//   the animal didn't cross the street because it was too wide  -> ... parce qu' elle était trop large   (la rue, f)
//   the mouse didn't cross the bridge because it was too tired  -> ... parce qu' elle était trop fatiguée
//   the mouse didn't cross the bridge because it was too wide   -> ... parce qu' il était trop large
//
// The adjective tells which noun, the noun tells il or elle; neither alone tells anything. Animal and way always differ
// in gender, and the family falls into groups of four sentences as above, so it is exactly balanced: given the
// adjective alone, or all the nouns alone, il and elle come equally often. (The sentence: Winograd schemas; Vaswani et
// al. 2017 drew it.)
#pragma once

#include "nn/data/grammar/phrases.h"

namespace heed::data::toy {

struct PronounChoice {
  const Noun* animal;
  const Noun* way;
  const Adjective* reason;
  bool points_to_animal;
  int verb = 0;       // didn't cross, didn't take, couldn't cross
  bool very = false;  // very, else too
  int group = 0;      // the four sentences that balance each other share a number
};
const std::vector<PronounChoice>& pronoun_choices();  // the whole family, group by group

Phrase pronoun_of(Draft& draft, const PronounChoice& choice);
Phrase pronoun(Draft& draft);  // any of them

}  // namespace heed::data::toy
