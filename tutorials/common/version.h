// The version of this program, as --version prints it: "heed 0.1.0", followed by the commit if it was built in a clone.
// The build runs ./heed --version to get it (tutorials/version.cmake).
#pragma once

namespace heed::app {

const char* version();

}  // namespace heed::app
