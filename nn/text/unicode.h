// Unicode, as much of it as a translator needs: bytes <-> code points, one spelling for one word, and columns.
//
// A text is a std::string in UTF-8. "é" may be written as one code point (U+00E9) or as two (e and a combining acute);
// NFC (Unicode Standard Annex 15) picks the first, so that a vocabulary holds the word once. Well-formedness is table
// 3-7 of the Unicode Standard: no overlong forms, no surrogates, nothing above U+10FFFF.
// The tables behind nfc, lower, kind_of and display_width are those of libutf8proc, which only unicode.cpp includes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

// Offset of the first byte that does not begin a well-formed sequence; nothing if the whole text is well-formed.
std::optional<size_t> invalid_utf8(std::string_view text);

// The code point at byte `at`, which moves behind it. A malformed byte yields U+FFFD and is skipped alone, so that no
// text, however broken, is read beyond its end. Walks a text: for (size_t at = 0; at < text.size();) next(text, at);
char32_t next(std::string_view text, size_t& at);

void append(std::string& text, char32_t code_point);
std::u32string code_points(std::string_view text);
std::string to_utf8(std::u32string_view code_points);

// Canonical composition. Malformed text is an InputError that names the byte.
std::string nfc(std::string_view text);

// Each code point in its (simple) lower case: one in, one out.
std::string lower(std::string_view text);
char32_t lower(char32_t code_point);

// What a code point is to a tokeniser.
enum class CharKind {
  letter,     // letters of every script
  digit,      // decimal digits and other numbers
  mark,       // accents and vowel signs that sit on what comes before, and the two joiners
  space,      // white space as Python's str.split() has it, no-break spaces included; control characters too
  ignorable,  // invisible: soft hyphen, zero-width space, byte order mark, direction marks
  other       // punctuation and symbols
};
CharKind kind_of(char32_t code_point);

// White space in the sense of Python's str.split(), which is also sacreBLEU's.
bool is_space(char32_t code_point);
bool is_blank(std::string_view text);  // nothing but white space

// The end of the character that a reader sees (grapheme cluster) that begins at index `from`: a letter with its
// accents, an emoji with its skin tone or its family.
size_t cluster_end(std::u32string_view text, size_t from);

// Columns that the text takes in a terminal: 0 for accents and controls, 2 for East Asian wide characters and emoji.
size_t display_width(std::string_view text);

// For messages: in double quotes, at most `longest` code points, control characters and malformed bytes as \xNN.
std::string in_quotes(std::string_view text, size_t longest = 60);

}  // namespace heed::text
