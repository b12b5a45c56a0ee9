// Standard output as a filter must treat it: the first write that fails ends the program.
//
//   fmt::print("{}\n", line);  // throws std::system_error when a full buffer cannot be written
//   flush_output();            // throws OutputError; std::fflush alone would lose the failure, and with it some lines
//
// A disk that is full for a moment would otherwise leave a hole in the middle of the output: the C library drops the
// buffer that it could not write and accepts the next line.
//
// Descriptors 0, 1 and 2 belong to the standard streams. If the caller closed one (`>&-`), the next file that is opened
// would get its number, and everything that is printed would be written into that file. open_standard_streams() opens
// closed ones on /dev/null: input is then empty, messages are dropped, and printing a result fails.
#pragma once

#include <string>
#include <string_view>

#include "tensor/error.h"

namespace heed::app {

struct OutputError : Error {
  explicit OutputError(int error);
  int error;  // errno of the write that failed
};

void open_standard_streams();          // before anything else opens a file
void flush_output();                   // standard output
void say(const std::string& message);  // a legible line on standard error; if it cannot be written, the program goes on

// A message that quotes what others wrote (a name in a file, a word, the value of an option), so that it is one line
// that cannot change the terminal: \n, \t, \x1b for control characters, \u202e for characters that change the direction
// of writing, \xff for bytes that are not UTF-8. A piece without spaces that is longer than 300 characters is cut after
// 80, a message of more than 2000 bytes in its middle; `...` takes the place of what is left out.
std::string legible(std::string_view message);

}  // namespace heed::app
