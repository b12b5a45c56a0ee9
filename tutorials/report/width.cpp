#include "tutorials/report/width.h"

#include <algorithm>
#include <array>

namespace heed::report {

namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array<Range, 32> no_width{{
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},
    {0x06D6, 0x06DC}, {0x06DF, 0x06E4},   {0x0711, 0x0711}, {0x0730, 0x074A}, {0x0900, 0x0902}, {0x093C, 0x093C},
    {0x0941, 0x0948}, {0x094D, 0x094D},   {0x0951, 0x0957}, {0x0981, 0x0981}, {0x09BC, 0x09BC}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1}, {0x0EB4, 0x0EBC}, {0x0F71, 0x0F84}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
}};
constexpr std::array<Range, 15> two_wide{{
    {0x1100, 0x115F},
    {0x2E80, 0x303E},
    {0x3041, 0x33FF},
    {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},
    {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F},
    {0x1F680, 0x1FAFF},
    {0x20000, 0x3FFFD},
}};

// Latin letters lose their accents where the terminal has no Unicode: U+00C0 to U+00FF.
constexpr std::string_view plain_latin = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";

char plain(char32_t code) {
  if (code < 0x80) return static_cast<char>(code);
  if (code >= 0xC0 && code <= 0xFF) return plain_latin[code - 0xC0];
  if (code == 0x2018 || code == 0x2019) return '\'';
  if (code >= 0x2010 && code <= 0x2014) return '-';
  return code == 0x2581 ? '_' : '?';  // the mark of a word's beginning in sub-word vocabularies
}

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.first <= code && code <= range.last; });
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  std::vector<char32_t> codes;
  std::size_t i = 0;
  while (i < text.size()) {
    auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = byte < 0x80 ? 1 : byte >> 5 == 0x6 ? 2 : byte >> 4 == 0xE ? 3 : byte >> 3 == 0x1E ? 4 : 0;
    char32_t code = length == 1 ? byte : length == 0 ? 0 : byte & (0x7Fu >> length);
    std::size_t used = 1;
    while (used < length && i + used < text.size() && (text[i + used] & 0xC0) == 0x80) {
      code = (code << 6) | (static_cast<unsigned char>(text[i + used]) & 0x3Fu);
      ++used;
    }
    bool good = length > 0 && used == length && code >= smallest[length] && code <= 0x10FFFF &&
                (code < 0xD800 || code > 0xDFFF);
    codes.push_back(good ? code : 0xFFFD);
    i += used;
  }
  return codes;
}

std::string utf8(char32_t code) {
  auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

int code_width(char32_t code) { return within(no_width, code) ? 0 : within(two_wide, code) ? 2 : 1; }

std::string clean(std::string_view text, bool unicode) {
  std::string result;
  for (char32_t code : code_points(text)) {
    bool control = code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
                   code == 0x2028 || code == 0x2029;
    if (unicode) {
      result += utf8(control ? 0xFFFD : code);
    } else if (code_width(code) > 0) {
      result += control ? '?' : plain(code);
    }
  }
  return result;
}

int display_width(std::string_view text) {
  int width = 0;
  for (char32_t code : code_points(text)) width += code_width(code);
  return width;
}

namespace {

bool one_of(char32_t code, std::string_view characters) {
  return code < 0x80 && characters.find(static_cast<char>(code)) != std::string_view::npos;
}
bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

// `kept` code points of a text that is cut there, or fewer: those before a number that would lose its end or its unit.
std::size_t before_number(const std::vector<char32_t>& codes, std::size_t kept) {
  if (kept >= codes.size() || one_of(codes[kept], " ()[]{}<>/:;|\"'")) return kept;
  std::size_t begin = kept;
  bool digits = is_digit(codes[kept]);
  for (; begin > 0; --begin) {
    const char32_t code = codes[begin - 1];
    const bool exponent = one_of(code, "eE") && begin > 1 && is_digit(codes[begin - 2]);
    if (!is_digit(code) && !one_of(code, ".,+-") && !exponent) break;
    digits |= is_digit(code);
  }
  return digits ? begin : kept;
}

}  // namespace

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789.,eE+-%") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

std::string fit(std::string_view text, int width, Align align, bool unicode) {
  std::string whole = clean(text, unicode);
  int have = display_width(whole);
  if (width <= 0) return "";
  if (have > width) {
    const std::vector<char32_t> codes = code_points(whole);
    std::size_t kept = 0;
    for (int used = 0; kept < codes.size() && (used += code_width(codes[kept])) <= width - 1;) ++kept;
    kept = before_number(codes, kept);
    whole.clear();
    for (std::size_t i = 0; i < kept; ++i) whole += utf8(codes[i]);
    have = display_width(whole) + 1;
    whole += unicode ? "…" : "~";
  }
  auto spaces = static_cast<std::size_t>(width - have);
  std::size_t before = align == Align::left ? 0 : align == Align::right ? spaces : spaces / 2;
  return std::string(before, ' ') + whole + std::string(spaces - before, ' ');
}

}  // namespace heed::report
