// What learning and segmenting share: the symbols that a word consists of before any merge, and which may be merged.
//
//   end_of_word     low     l o w</w>        begin_of_word   low     ▁ l o w
//
// A text may itself contain the marks </w>, @@ and ▁. Two rules keep every segmentation reversible:
// clang-format off
//   - the last symbol of a word never ends with @@, so a piece that ends with @@ is never the last
//   - a ▁ in the text is attached to the character before it, so a symbol that begins with ▁
//     always begins a word
// clang-format on
// A third rule lets every merge be written as a line: no merge contains malformed UTF-8 or a byte up to 0x20 (the
// space, the newline and other control characters).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "nn/text/bpe.h"
#include "nn/text/unicode.h"

namespace heed::text {

inline constexpr std::string_view end_mark = "</w>", begin_mark = "\u2581", continues_mark = "@@";

// `word` must not be empty.
inline std::vector<std::string> first_symbols(std::string_view word, BpeStyle style) {
  std::vector<std::string> symbols;
  if (style == BpeStyle::begin_of_word) symbols.emplace_back(begin_mark);
  for (size_t at = 0, begin = 0; at < word.size(); begin = at) {
    next(word, at);
    std::string_view character = word.substr(begin, at - begin);
    if (style == BpeStyle::begin_of_word && character == begin_mark)
      symbols.back() += character;
    else
      symbols.emplace_back(character);
  }
  if (style == BpeStyle::end_of_word) symbols.back() += end_mark;
  return symbols;
}

inline bool plain(std::string_view symbol) {
  return !invalid_utf8(symbol) &&
         std::all_of(symbol.begin(), symbol.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; });
}

inline bool may_merge(std::string_view left, std::string_view right, BpeStyle style) {
  if (!plain(left) || !plain(right)) return false;
  if (style == BpeStyle::begin_of_word || !right.ends_with(end_mark)) return true;
  std::string whole = std::string(left) += right.substr(0, right.size() - end_mark.size());
  return !whole.ends_with(continues_mark);
}

}  // namespace heed::text
