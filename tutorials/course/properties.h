// The tested properties of an entry of the catalogue, as sentences that say what they mean.
#pragma once

#include <string>

namespace heed::course {

// "padding_is_never_read": "Not even a NaN at a padded place changes the result." A property whose name is a sentence
// already is that sentence: "no_fusion_is_sparsemax", "No fusion is sparsemax."
std::string sentence_of(const std::string& property);

}  // namespace heed::course
