#include "nn/io/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/io/json.h"
#include "tensor/error.h"

namespace heed::io {
namespace {

constexpr size_t kShown = 60;  // bytes of a text that an error message quotes
constexpr std::string_view kSpace = " \t\n\r", kNumber = "+-.0123456789eE";

void append_utf8(std::string& out, unsigned code) {
  auto byte = [&](unsigned b) { out += static_cast<char>(b); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000)
      byte(0xE0 | code >> 12);
    else
      byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 63));
    byte(0x80 | (code >> 6 & 63));
  }
  byte(0x80 | (code & 63));
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) continue;
    if (first < 0xC2 || first > 0xF4) return false;
    size_t more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (more > text.size() - i) return false;
    unsigned code = first & (0x3Fu >> more);
    for (; more > 0; --more) {
      auto b = static_cast<unsigned char>(text[i++]);
      if ((b & 0xC0) != 0x80) return false;
      code = code << 6 | (b & 63);
    }
    bool shortest = first < 0xE0 || (first < 0xF0 ? code >= 0x800 : code >= 0x10000);
    if (!shortest || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return false;
  }
  return true;
}

std::string shown(std::string_view text) {
  if (text.size() <= kShown) return Json(text).dump();
  size_t end = kShown;
  // Do not cut inside a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return Json(std::string(text.substr(0, end)) + "...").dump();
}

void JsonScanner::refuse(const char* wanted) {
  std::string got = at_ < text_.size() ? shown(text_.substr(at_, 1)) : "the end";
  throw IoError(
      fmt::format("{}: the header must be valid JSON; got {} at byte {}; wanted {}", what_, got, at_, wanted));
}

char JsonScanner::peek() {
  at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
  return at_ < text_.size() ? text_[at_] : '\0';
}

void JsonScanner::expect(char c) {
  if (peek() != c) refuse(fmt::format("'{}'", c).c_str());
  ++at_;
}

bool JsonScanner::next(char close) {
  char c = peek();
  if (c != ',' && c != close) refuse(fmt::format("',' or '{}'", close).c_str());
  ++at_;
  return c == ',';
}

bool JsonScanner::empty_or(char close) {
  if (peek() != close) return false;
  ++at_;
  return true;
}

void JsonScanner::expect_end() {
  if (peek() != '\0' || at_ < text_.size()) refuse("nothing but spaces");
}

unsigned JsonScanner::hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    char c = at_ < text_.size() ? text_[at_] : '\0';
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) refuse("four hexadecimal digits");
    code = code << 4 | static_cast<unsigned>(digit);
  }
  return code;
}

std::string JsonScanner::string() {
  expect('"');
  size_t begin = at_, end = begin;  // find the closing quote first, so that the memory needed is known
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  std::string out;
  out.reserve(std::min(end, text_.size()) - begin);
  while (true) {
    auto c = at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : 0;
    if (c < 0x20) refuse("a character of a text, or its end");
    ++at_;
    if (c == '"') break;
    if (c != '\\') {
      out += static_cast<char>(c);
      continue;
    }
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    char e = at_ < text_.size() ? text_[at_] : '\0';
    if (size_t i = kEscapes.find(e); e != '\0' && i != kEscapes.npos) {
      out += kMeant[i];
      ++at_;
      continue;
    }
    if (e != 'u') refuse("an escape that JSON knows");
    ++at_;
    unsigned code = hex4();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      unsigned low = hex4();
      if (low < 0xDC00 || low > 0xDFFF) refuse("the second half of a surrogate pair before this");
      code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
    }
    if (code >= 0xD800 && code < 0xE000) refuse("both halves of a surrogate pair before this");
    append_utf8(out, code);
  }
  if (!is_utf8(out)) {
    throw IoError(fmt::format("{}: the header must be UTF-8; got {} at byte {}", what_, shown(out), begin));
  }
  return out;
}

std::optional<int64_t> JsonScanner::whole_number(std::string& other) {
  other = kind();
  if (other != "a number") return std::nullopt;
  size_t end = std::min(text_.find_first_not_of(kNumber, at_), text_.size());
  std::string_view token = text_.substr(at_, end - at_);
  at_ = end;
  other = token.size() <= kShown ? std::string(token) : fmt::format("{}...", token.substr(0, kShown));
  bool digits = token.find_first_not_of("0123456789") == token.npos && (token[0] != '0' || token.size() == 1);
  if (!digits || token.size() > 19) return std::nullopt;
  uint64_t value = 0;  // 19 digits fit into 64 bits
  for (char c : token) value = 10 * value + static_cast<uint64_t>(c - '0');
  if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::string JsonScanner::kind() {
  char c = peek();
  if (c == '"') return "a string";
  if (c == '{') return "an object";
  if (c == '[') return "an array";
  if (c == '-' || (c >= '0' && c <= '9')) return "a number";
  for (std::string_view word : {"true", "false", "null"})
    if (text_.substr(at_, word.size()) == word) return std::string(word);
  refuse("a value");
}

}  // namespace heed::io
