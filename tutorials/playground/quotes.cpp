// in_quotes for error messages, without nn/text/unicode.cpp, whose other functions need the tables of utf8proc. Control
// characters are written as \xNN; text beyond ASCII is passed on as it is.
#include <fmt/format.h>

#include "nn/text/unicode.h"

namespace heed::text {

std::string in_quotes(std::string_view text, size_t longest) {
  std::string result = "\"";
  for (char c : text.substr(0, longest)) {
    auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
  }
  return result + (text.size() > longest ? "...\"" : "\"");
}

}  // namespace heed::text
