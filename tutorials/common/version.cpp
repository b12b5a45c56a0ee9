// The one object that contains the commit, so that a commit compiles nothing else.
#include "tutorials/common/version.h"

namespace heed::app {

const char* version() {
  return ""
#include "closure/version.inc"
      ;
}

}  // namespace heed::app
