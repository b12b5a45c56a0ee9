#include "tutorials/course/html_text.h"

#include <fmt/format.h>

#include "tensor/error.h"

namespace heed::course {

std::string anchor_of(const std::string& heading) {
  std::string name;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    auto c = static_cast<unsigned char>(heading[i]);
    if (c == 0xC2 && i + 1 < heading.size()) {  // U+0080 to U+00BF: signs such as the middle dot
      ++i;
    } else if (c == 0xE2 && i + 2 < heading.size()) {  // U+2000 to U+2FFF: dashes, quotes, arrows
      i += 2;
    } else if (c == ' ') {
      name += '-';
    } else if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c >= 0x80) {
      name += static_cast<char>(c);
    }
  }
  return name;
}

void refuse_at(const std::string& file, std::size_t line, const std::string& sentence) {
  throw InputError(line > 0 ? fmt::format("{}:{}: {}", file, line, sentence) : fmt::format("{}: {}", file, sentence));
}

std::string trimmed(const std::string& text) {
  std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace heed::course
