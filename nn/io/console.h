// What the other end of a stream can show: asked once, handed to everything that draws, so that drawing itself is a
// pure function of text and Console and tests pin exact strings.
//
// NO_COLOR (no-color.org) switches colour off, TERM=dumb switches colour and redrawing off, LC_ALL / LC_CTYPE / LANG
// say whether the terminal understands UTF-8, COLUMNS stands in where the terminal does not tell its width.
#pragma once

#include <functional>
#include <string>

namespace heed::io {

struct Console {
  bool terminal = false;  // lines can be redrawn
  bool colour = false;
  bool unicode = false;
  int width = 80;  // columns
  int height = 24;
};

// `file` is a descriptor: 1 standard output, 2 standard error.
Console console(int file);

// The rules alone. `environment` answers "" for a variable that is not set; zero sizes mean that the terminal is
// silent.
Console console_from(bool terminal, int columns, int rows,
                     const std::function<std::string(const std::string&)>& environment);

}  // namespace heed::io
