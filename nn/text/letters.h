// Classes of characters by which published tokenizers decide, as the `tokenizers` library defines them.
#pragma once

#include <string_view>

#include "nn/text/unicode.h"

namespace heed::text {

// Is the general category one of the letter's: 'L' letters, 'M' marks, 'N' numbers, 'P' punctuation, 'C' control?
inline bool in_category(char32_t c, char letter) { return category(c)[0] == letter; }
inline bool is_control(char32_t c) {  // not Cn, which is not assigned
  return c < 0x80 ? c < 0x20 || c == 0x7F : in_category(c, 'C') && category(c) != "Cn";
}
inline bool is_mark(char32_t c) { return in_category(c, 'M'); }
inline bool is_number(char32_t c) { return c < 0x80 ? c >= '0' && c <= '9' : in_category(c, 'N'); }

// In ASCII also + < = > $ ^ ` | ~, which Unicode calls symbols.
inline bool is_punctuation(char32_t c) {
  if (c < 0x80) return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
  return in_category(c, 'P');
}

// \w of regular expressions: letters, marks, decimal digits, letters in circles, connectors such as _, and the joiners.
inline bool is_word(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
  std::string_view kind = category(c);
  return kind[0] == 'L' || kind[0] == 'M' || kind == "Nd" || kind == "Nl" || kind == "Pc" || c == 0x200C ||
         c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

// The ideographs that Chinese, Japanese and Korean share, by block: BERT makes a word of each.
inline bool is_ideograph(char32_t c) {
  auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return within(0x4E00, 0x9FFF) || within(0x3400, 0x4DBF) || within(0x20000, 0x2A6DF) || within(0x2A700, 0x2B73F) ||
         within(0x2B740, 0x2B81F) || within(0x2B920, 0x2CEAF) || within(0xF900, 0xFAFF) || within(0x2F800, 0x2FA1F);
}

}  // namespace heed::text
