// Where this program was built from; the folder may be gone.
#pragma once

#include <string>

namespace heed::course {

std::string source_root();

}  // namespace heed::course
