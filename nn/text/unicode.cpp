// The Unicode tables are from libutf8proc.
#include "nn/text/unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "tensor/error.h"

namespace heed::text {

namespace {

utf8proc_int32_t as_utf8proc(char32_t code_point) { return static_cast<utf8proc_int32_t>(code_point); }

}  // namespace

std::string_view category(char32_t c) { return utf8proc_category_string(as_utf8proc(c)); }

int combining_class(char32_t c) { return utf8proc_get_property(as_utf8proc(c))->combining_class; }

std::u32string decomposed(char32_t c, bool compatible) {
  utf8proc_int32_t parts[32];  // no character has more than 18
  int boundary = 0;
  auto how = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  utf8proc_ssize_t count = utf8proc_decompose_char(as_utf8proc(c), parts, 32, how, &boundary);
  if (count <= 0 || count > 32) return std::u32string(1, c);
  return std::u32string(parts, parts + count);
}

char32_t composed(char32_t first, char32_t second) {
  utf8proc_int32_t pair[3] = {as_utf8proc(first), as_utf8proc(second), 0};
  auto how = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  return utf8proc_normalize_utf32(pair, 2, how) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

std::string nfc(std::string_view text) {
  if (auto bad = invalid_utf8(text))
    throw InputError(fmt::format("nfc: text must be UTF-8; got byte 0x{:02X} at offset {}",
                                 static_cast<unsigned char>(text[*bad]), *bad));
  // No code point below U+0300 (in UTF-8: no byte from 0xCC on) combines with another, so most Western text is NFC.
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xCC; }))
    return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (length < 0) throw Error(fmt::format("nfc: composition failed; got {}", utf8proc_errmsg(length)));
  std::string result(reinterpret_cast<const char*>(composed), static_cast<size_t>(length));
  std::free(composed);
  return result;
}

namespace {

char32_t lower_alone(char32_t c) {
  if (c < 0x80) return c >= U'A' && c <= U'Z' ? c + 32 : c;
  return static_cast<char32_t>(utf8proc_tolower(as_utf8proc(c)));
}

// Is a code point a letter with a case, or skipped when we look for the letters beside a sigma, or neither? These are
// the properties Cased and Case_Ignorable of DerivedCoreProperties.txt. A code point with both is skipped, so most of
// Other_Lowercase is not needed here.
enum class Casing { cased, ignorable, none };
Casing casing_of(char32_t c) {
  auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  switch (utf8proc_category(as_utf8proc(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return Casing::cased;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return Casing::ignorable;
    default:
      break;
  }
  // ª º, Roman numerals, and letters in circles and squares
  if (c == 0xAA || c == 0xBA || within(0x2160, 0x217F) || within(0x24B6, 0x24E9) || within(0x1F130, 0x1F149) ||
      within(0x1F150, 0x1F169) || within(0x1F170, 0x1F189))
    return Casing::cased;
  // apostrophes, full stops, colons and middle dots
  constexpr std::u32string_view inside_words =
      U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  return inside_words.find(c) != std::u32string_view::npos ? Casing::ignorable : Casing::none;
}

// The condition Final_Sigma of the Unicode Standard, table 3-17: a letter before the sigma at `at`, and none after it.
bool ends_word(std::u32string_view text, size_t at) {
  size_t before = at, after = at + 1;
  while (before > 0 && casing_of(text[before - 1]) == Casing::ignorable) --before;
  if (before == 0 || casing_of(text[before - 1]) != Casing::cased) return false;
  while (after < text.size() && casing_of(text[after]) == Casing::ignorable) ++after;
  return after == text.size() || casing_of(text[after]) != Casing::cased;
}

}  // namespace

std::string lower(std::string_view text) {
  const std::u32string points = code_points(text);
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i] == U'\u03A3')
      append(result, ends_word(points, i) ? U'\u03C2' : U'\u03C3');
    else if (points[i] == U'\u0130')
      result += "i\u0307";
    else
      append(result, lower_alone(points[i]));
  }
  return result;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == U' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (!is_space(next(text, at))) return false;
  return true;
}

CharKind kind_of(char32_t c) {
  if ((c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z')) return CharKind::letter;
  if (c >= U'0' && c <= U'9') return CharKind::digit;
  if (is_space(c)) return CharKind::space;
  if (c == 0x200C || c == 0x200D) return CharKind::mark;  // the joiners occur in Persian words and in emoji
  switch (utf8proc_category(as_utf8proc(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharKind::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharKind::digit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharKind::mark;
    case UTF8PROC_CATEGORY_CC:
      return CharKind::space;
    case UTF8PROC_CATEGORY_CF:
      return CharKind::ignorable;
    default:
      return CharKind::other;
  }
}

size_t cluster_end(std::u32string_view text, size_t from) {
  utf8proc_int32_t state = 0;
  size_t end = from + 1;
  while (end < text.size() &&
         !utf8proc_grapheme_break_stateful(as_utf8proc(text[end - 1]), as_utf8proc(text[end]), &state))
    ++end;
  return end;
}

size_t display_width(std::string_view text) {
  std::u32string points = code_points(text);
  size_t width = 0;
  for (size_t at = 0; at < points.size();) {
    size_t end = cluster_end(points, at);
    // An emoji of a family is drawn as one character, and a flag is two letters of one column each, so a cluster is
    // never wider than 2.
    size_t columns = 0;
    for (size_t i = at; i < end; ++i)
      columns += points[i] == 0xFE0F ? 1 : static_cast<size_t>(std::max(0, utf8proc_charwidth(as_utf8proc(points[i]))));
    width += std::min<size_t>(columns, 2);
    at = end;
  }
  return width;
}

}  // namespace heed::text
