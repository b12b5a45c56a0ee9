// Numbers and texts of a row of results, checked: a file may have been edited or damaged, and its texts reach the
// terminal and the page. InputError, which names the key.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "tensor/error.h"

namespace heed::league {

inline double ranged(const io::Json& row, const char* key, double least, double most) {
  const double value = row.number(key);
  if (!(value >= least && value <= most))
    throw InputError(fmt::format("{} must be a number from {:g} to {:g}; got {:g}", key, least, most, value));
  return value;
}
inline int64_t whole(const io::Json& row, const char* key, int64_t least, int64_t most) {
  const int64_t value = row.integer(key);
  if (value < least || value > most)
    throw InputError(fmt::format("{} must be a whole number from {} to {}; got {}", key, least, most, value));
  return value;
}

// One line without control characters, also those that UTF-8 writes as two bytes (U+0080 to U+009F).
inline void require_printable(const std::string& key, const std::string& text, size_t most) {
  if (text.size() > most)
    throw InputError(fmt::format("{} must have at most {} bytes; got {}", key, most, text.size()));
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool pair = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c < 0x20 || c == 0x7f || pair)
      throw InputError(fmt::format("{} must be one line of printable characters; got a control character", key));
  }
}

inline std::vector<double> numbers(const io::Json& row, const char* key, double least, double most) {
  std::vector<double> out;
  for (const io::Json& v : row.list(key)) {
    if (!v.is_number()) throw InputError(fmt::format("{} must have numbers only; got {}", key, v.kind()));
    out.push_back(v.as_number());
    if (!(out.back() >= least && out.back() <= most))
      throw InputError(fmt::format("{} must have numbers from {:g} to {:g}; got {:g}", key, least, most, out.back()));
  }
  return out;
}
inline std::vector<std::string> texts(const io::Json& row, const char* key) {
  std::vector<std::string> out;
  for (const io::Json& v : row.list(key)) {
    if (!v.is_string()) throw InputError(fmt::format("{} must have texts only; got {}", key, v.kind()));
    out.push_back(v.as_string());
    require_printable(key, out.back(), 100);
  }
  return out;
}

}  // namespace heed::league
