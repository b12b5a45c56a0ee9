// UTF-8, decoded and written. It needs no table, so the page in a browser has it without libutf8proc.
#include "nn/text/unicode.h"

#include <fmt/format.h>

namespace heed::text {
namespace {

unsigned char byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

// The sequence at `at`: how many bytes its first byte announces (0 for a byte that begins none), and how many of them
// are there. The range of the second byte depends on the first, which excludes overlong forms (E0, F0), surrogates (ED)
// and everything above U+10FFFF (F4).
struct Sequence {
  size_t announced, there;
};
Sequence sequence_at(std::string_view text, size_t at) {
  unsigned char first = byte_at(text, at);
  if (first < 0x80) return {1, 1};
  size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  size_t there = 1;
  while (there < length && at + there < text.size() && byte_at(text, at + there) >= low &&
         byte_at(text, at + there) <= high)
    ++there, low = 0x80, high = 0xBF;
  return {length, there};
}

// Length of the well-formed sequence at `at`; 0 if there is none.
size_t sequence_length(std::string_view text, size_t at) {
  Sequence sequence = sequence_at(text, at);
  return sequence.there == sequence.announced ? sequence.there : 0;
}

}  // namespace

std::optional<size_t> invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

char32_t next(std::string_view text, size_t& at) {
  size_t length = sequence_length(text, at);
  if (length <= 1) {
    unsigned char byte = byte_at(text, at++);
    return length == 1 ? static_cast<char32_t>(byte) : U'\uFFFD';
  }
  // The first byte of a sequence of n bytes contributes its low 7 - n bits, each further byte its low 6.
  char32_t value = byte_at(text, at) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte_at(text, at + i) & 0x3Fu);
  at += length;
  return value;
}

void append(std::string& text, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = U'\uFFFD';
  auto continuation = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    continuation(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | c >> 12);
    continuation(6), continuation(0);
  } else {
    text += static_cast<char>(0xF0 | c >> 18);
    continuation(12), continuation(6), continuation(0);
  }
}

std::u32string code_points(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) result += next(text, at);
  return result;
}

std::string to_utf8(std::u32string_view points) {
  std::string result;
  result.reserve(points.size());
  for (char32_t c : points) append(result, c);
  return result;
}

std::string well_formed(std::string_view bytes) {
  std::string result;
  for (size_t at = 0; at < bytes.size();) {
    Sequence sequence = sequence_at(bytes, at);
    if (sequence.there == sequence.announced)
      result += bytes.substr(at, sequence.there);
    else
      append(result, U'\uFFFD');
    at += sequence.there;
  }
  return result;
}

std::string in_quotes(std::string_view text, size_t longest) {
  std::string result = "\"";
  size_t shown = 0;
  for (size_t at = 0; at < text.size(); ++shown) {
    if (shown == longest) {
      result += "...";
      break;
    }
    size_t begin = at;
    char32_t c = next(text, at);
    bool malformed = invalid_utf8(text.substr(begin, at - begin)).has_value();
    if (malformed || c < 0x20 || c == 0x7F || (c >= 0x80 && c < 0xA0))
      for (size_t i = begin; i < at; ++i) result += fmt::format("\\x{:02X}", byte_at(text, i));
    else
      result += text.substr(begin, at - begin);
  }
  return result + "\"";
}

}  // namespace heed::text
