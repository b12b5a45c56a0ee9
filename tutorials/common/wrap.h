// Wraps text to the width of a terminal.
//
//   wrapped("  --heads N   ", "number of attention heads (1 to 1024; default 8)", 80)
//
// prints the text after `first`; further lines begin in the same column. A word that is wider than a line gets a line
// of its own. Several spaces in a row, as inside a formula, are kept.
#pragma once

#include <algorithm>
#include <string>

namespace heed::app {

// The width in columns: one for each code point of UTF-8.
inline size_t columns_of(const std::string& text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return columns;
}

// Without a newline at the end.
inline std::string wrapped(const std::string& first, const std::string& text, size_t width) {
  const size_t margin = columns_of(first);
  std::string out = first;
  size_t at = margin;
  bool empty = true;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', text.find_first_not_of(' ', begin)), text.size());
    std::string word = text.substr(begin, end - begin);  // with the spaces before it, if there are several
    if (!empty && at + 1 + columns_of(word) > width) {
      out += "\n" + std::string(margin, ' ');
      at = margin, empty = true;
      word.erase(0, word.find_first_not_of(' '));
    }
    if (!empty) out += ' ';
    out += word;
    at += columns_of(word) + (empty ? 0 : 1);
    empty = false;
    begin = end + 1;
  }
  return out;
}

}  // namespace heed::app
