// Which part of the toy corpus a sentence belongs to: a property of the sentence, not of the draw.
//
// A sentence with a held-out combination goes to the combinations; of the others a hash sends one in sixteen to the
// test set and one in sixteen to validation. The four sentences of a pronoun group stay together, so every part of that
// family is balanced; the showcase sentences are pinned.
#pragma once

#include <string>
#include <vector>

#include "nn/data/grammar/toy_corpus.h"

namespace heed::data::toy {

std::string joined(const std::vector<std::string>& words);  // with blanks
ToySplit split_of(const AlignedPair& english_first);

}  // namespace heed::data::toy
