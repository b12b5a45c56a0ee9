#include "tutorials/report/wrap.h"

#include <algorithm>

#include "tutorials/report/width.h"

namespace heed::report {

namespace {

int columns(std::string_view text) {  // colours take none
  int width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\x1b', begin), text.size());
    width += display_width(text.substr(begin, end - begin));
    begin = end == text.size() ? end : std::min(text.find('m', end), text.size() - 1) + 1;
  }
  return width;
}

}  // namespace

std::string wrapped(std::string_view first, std::string_view text, int width) {
  const int margin = columns(first), further = margin + 30 > width ? std::min(margin, 10) : margin;
  std::string out(text.empty() ? first.substr(0, first.find_last_not_of(' ') + 1) : first);
  int at = margin;
  bool empty = true, blank = first.find_first_not_of(' ') == first.npos;  // no word of the text yet; spaces alone
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', text.find_first_not_of(' ', begin)), text.size());
    std::string_view word = text.substr(begin, end - begin);  // with the spaces before it, if there are several
    if (at + !empty + columns(word) > width && !blank) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(static_cast<std::size_t>(further), ' ');
      at = further, empty = true;
      word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    }
    if (!empty) out += ' ';
    out += word;
    at += columns(word) + !empty;
    empty = blank = false;
    begin = end + 1;
  }
  return out;
}

std::string folded(std::string_view text, int width) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (columns(line) <= width) {
      out += line;
    } else {
      const std::size_t word = line.find_first_not_of(' '), gap = line.find("  ", word);
      std::size_t label = gap == line.npos ? word : line.find_first_not_of(' ', gap);
      if (label != line.npos && columns(line.substr(0, label)) >= width) label = word;  // no label, but spaces later on
      out += wrapped(line.substr(0, label), line.substr(std::min(label, line.size())), width);
    }
    if (end < text.size()) out += '\n';
  }
  return out;
}

}  // namespace heed::report
