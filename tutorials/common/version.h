// Which heed this program is: "heed 0.1.0", and after it the commit if it was built in a clone. The build asks
// ./heed --version for it (tutorials/programs.cmake).
#pragma once

namespace heed::app {

const char* version();

}  // namespace heed::app
