// The part of Unicode that a translator needs: bytes <-> code points, one form of each word, and display width.
//
// A text is a std::string in UTF-8. "é" may be written as one code point (U+00E9) or as two (e and a combining acute).
// NFC (Unicode Standard Annex 15) chooses the first form, so that a vocabulary contains the word once. Well-formedness
// is table 3-7 of the Unicode Standard: no overlong forms, no surrogates, nothing above U+10FFFF. The tables behind
// nfc, lower, kind_of and display_width are those of libutf8proc, which only unicode.cpp includes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed::text {

// Offset of the first byte that does not begin a well-formed sequence; nullopt if the whole text is well-formed.
std::optional<size_t> invalid_utf8(std::string_view text);

// Returns the code point at byte `at` and advances `at` past it. For a malformed byte it returns U+FFFD and skips that
// byte only, so it never reads beyond the end of the text. To walk a text:
//   for (size_t at = 0; at < text.size();) next(text, at);
char32_t next(std::string_view text, size_t& at);

void append(std::string& text, char32_t code_point);
std::u32string code_points(std::string_view text);
std::string to_utf8(std::u32string_view code_points);

// Canonical composition. Malformed text is an InputError that names the position of the byte.
std::string nfc(std::string_view text);

// Lower case as in Python's str.lower(), which sacreBLEU uses: the whole text at once, because a capital sigma at the
// end of a word becomes another letter than elsewhere (ΟΔΟΣ: οδος), and İ becomes two code points (i and a dot above).
std::string lower(std::string_view text);

// The class of a code point, as a tokeniser needs it.
enum class CharKind {
  letter,     // letters of every script
  digit,      // decimal digits and other numbers
  mark,       // accents and vowel signs that combine with the character before them, and the two joiners
  space,      // white space as in Python's str.split(), no-break spaces included; also control characters
  ignorable,  // invisible: soft hyphen, zero-width space, byte order mark, direction marks
  other       // punctuation and symbols
};
CharKind kind_of(char32_t code_point);

// White space as in Python's str.split(), which sacreBLEU uses too.
bool is_space(char32_t code_point);
bool is_blank(std::string_view text);  // true if it is empty or only white space

// White space as the property White_Space defines it: without the four separators U+001C to U+001F.
inline bool is_white(char32_t c) { return is_space(c) && (c < 0x1C || c > 0x1F); }

// What the normal forms (nfc, above) are made of, for a caller that keeps track of where each character comes from.
std::string_view category(char32_t code_point);  // two letters: "Lu" a capital letter, "Mn" an accent, "Po" a full stop
std::u32string decomposed(char32_t code_point, bool compatible);  // the character by itself, in full
int combining_class(char32_t code_point);                         // 0: a character that others combine with
char32_t composed(char32_t first, char32_t second);               // 0 if no character is composed of these two

// Bytes that may be cut anywhere, as text: what is no character, or only the beginning of one, becomes one U+FFFD.
std::string well_formed(std::string_view bytes);

// The end of the grapheme cluster (the character that a reader sees) that begins at index `from`: a letter with its
// accents, an emoji with its skin tone or its family.
size_t cluster_end(std::u32string_view text, size_t from);

// Number of terminal columns of the text: 0 for accents and controls, 2 for East Asian wide characters and emoji.
size_t display_width(std::string_view text);

// For error messages: in double quotes, at most `longest` code points, control characters and malformed bytes as \xNN.
std::string in_quotes(std::string_view text, size_t longest = 60);

}  // namespace heed::text
