// The one object of the programs that contains a path of this machine, so that a compiler cache serves every clone.
#include "tutorials/course/source_root.h"

namespace heed::course {

std::string source_root() { return HEED_SOURCE_DIR; }

}  // namespace heed::course
