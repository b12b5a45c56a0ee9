// Standard output and standard error. As in every good filter, the first write that fails ends the program.
//
//   fmt::print("{}\n", line);  // throws std::system_error when a full buffer cannot be written
//   flush_output();            // throws OutputError; a failure of std::fflush alone would go unnoticed
//
// Otherwise a disk that is full for a moment would leave a gap in the middle of the output: the C library drops the
// buffer that it could not write, and accepts the next line.
//
// Descriptors 0, 1 and 2 belong to the standard streams. If the caller closed one (`>&-`), the next file that is opened
// would get its number, and what is printed would be written into that file. open_standard_streams() opens a closed one
// on /dev/null: then input is empty, messages are dropped, and printing a result fails.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace heed::app {

struct OutputError : Error {
  explicit OutputError(int error);
  int error;  // errno of the write that failed
};

void open_standard_streams();  // call it before anything else opens a file
void flush_output();           // of standard output

// Prints text for people, like fmt::print, in lines as wide as the terminal (tutorials/report/wrap.h). Where nobody
// says how wide it is, in a pipe without COLUMNS, lines stay whole: a script reads them.
void tell_text(const std::string& text);
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  tell_text(fmt::format(text, std::forward<Args>(args)...));
}

// Refuses to write over what is read: a file of `inputs`, or one below a folder of them. `option`: "search: --json".
void require_apart(const std::string& option, const std::string& path, const std::vector<std::string>& inputs);
// Refuses a file that cannot be written because there is no such folder, or one of its name: before long work. ""
// passes.
void require_place(const std::string& option, const std::string& path);

void say(const std::string& message);  // prints a legible line to standard error; a failure to do so is ignored

// Makes one line that is safe to print of a message that quotes text from outside (a name in a file, a word, the value
// of an option). Escaped are control characters (\n, \t, \x1b), characters that change the direction of writing
// (\u202e) and bytes that are not UTF-8 (\xff). A piece without spaces of more than 300 characters is cut after 80, and
// a message of more than 2000 bytes loses its middle; `...` stands for what is left out.
std::string legible(std::string_view message);

}  // namespace heed::app
