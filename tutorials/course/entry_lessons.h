// The lesson in which an entry of the catalogue of attention is taught. Not in About, since nn does not know the
// lessons.
#pragma once

#include <string>

namespace heed::course {

// Its number, "12", by the id of the entry; "" if no lesson uses it.
std::string lesson_of(const std::string& id);

}  // namespace heed::course
