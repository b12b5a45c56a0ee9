// Lines of text that are no wider than a terminal.
//
//   wrapped("  --heads N   ", "number of attention heads (1 to 1024; default 8)", 80)
//
// gives the words behind `first`, and further lines under the first of them. A word that is wider than a line stands
// alone on one. Words are separated by single spaces; further spaces, as inside a formula, stay.
#pragma once

#include <algorithm>
#include <string>

namespace heed::app {

// In columns: a character of several bytes (UTF-8) is one.
inline size_t columns_of(const std::string& text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return columns;
}

// The lines, without a newline at the end.
inline std::string wrapped(const std::string& first, const std::string& text, size_t width) {
  const size_t margin = columns_of(first);
  std::string out = first;
  size_t at = margin;
  bool empty = true;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', text.find_first_not_of(' ', begin)), text.size());
    std::string word = text.substr(begin, end - begin);  // with its further spaces before it
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
