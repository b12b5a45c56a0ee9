// Which part of the toy corpus a sentence belongs to. It depends on the sentence alone, not on the random draw.
//
// A sentence with a held-out combination belongs to the combinations set. Of all others, a hash sends one in sixteen to
// the test set and one in sixteen to validation. The four sentences of a pronoun group stay together, so every part of
// that family is balanced. The part of each showcase sentence is fixed.
#pragma once

#include <string>
#include <vector>

#include "nn/data/grammar/toy_corpus.h"

namespace heed::data::toy {

std::string joined(const std::vector<std::string>& words);  // with spaces
ToySplit split_of(const AlignedPair& english_first);

}  // namespace heed::data::toy
