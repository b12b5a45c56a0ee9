// The tested properties of an entry of the catalogue, as sentences that say what they mean.
#pragma once

#include <string>

namespace heed::course {

// "padding_is_never_read": "What is at a padded place, even NaN or infinity, does not change the result." The sentence
// of a property of one entry alone is the comment above its test in the sources of heed, PROPERTY(name) or a test case
// that holds("name"); without the sources it is the name.
std::string sentence_of(const std::string& property);

}  // namespace heed::course
