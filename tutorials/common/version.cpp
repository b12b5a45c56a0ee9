// The only source file that contains the commit, so that after a commit no other one is compiled again.
#include "tutorials/common/version.h"

namespace heed::app {

const char* version() {
  return ""
#include "closure/version.inc"
      ;
}

}  // namespace heed::app
