// The tested properties of an entry of the catalogue, as sentences that say what they mean.
#pragma once

#include <string>

namespace heed::course {

// "padding_is_never_read": "Not even a NaN at a padded place changes the result." A property of one entry alone is its
// name as a sentence, "no_rate_is_linear_attention", "With no rate, it is linear attention.", and what its test says
// beside it: the title, or the comment above it, in the sources of heed.
std::string sentence_of(const std::string& property);

}  // namespace heed::course
