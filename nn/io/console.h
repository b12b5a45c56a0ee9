// What the terminal at the other end of a stream can display. It is queried once and passed to everything that draws,
// so that drawing is a pure function of text and Console, and tests can compare exact strings.
//
// NO_COLOR (no-color.org) turns colour off. TERM=dumb turns colour and redrawing off. The first of LC_ALL, LC_CTYPE and
// LANG that is set says whether the terminal understands UTF-8. COLUMNS and LINES give the size if the terminal does
// not report it.
#pragma once

#include <functional>
#include <string>

namespace heed::io {

struct Console {
  bool terminal = false;  // a terminal on which a line can be redrawn
  bool colour = false;
  bool unicode = false;
  int width = 80;  // in columns
  int height = 24;
};

// `file` is a file descriptor: 1 for standard output, 2 for standard error.
Console console(int file);

// The same rules without system calls. `environment` returns "" for a variable that is not set; a size of 0 means that
// the terminal did not report it.
Console console_from(bool terminal, int columns, int rows,
                     const std::function<std::string(const std::string&)>& environment);

}  // namespace heed::io
