// The normalisation that a sentencepiece file brings along: a table from strings to strings, usually NFKC with the
// spaces unified ("nmt_nfkc"), compiled into a trie (a "double array"; Aoe 1989) so that the longest key at any place
// is found in one pass. sentencepiece: Kudo and Richardson, EMNLP 2018.
//
// clang-format off
//   the table   4 bytes: size of the trie | its units, 4 bytes each | the strings, a 0 after each
//   a unit      bits 0..7 label   bit 8 has a value   bits 10..30 offset, times 256 if bit 9
//               of a value: bits 0..30 where its string begins
// clang-format on
//
// The same table is applied in two ways. sentencepiece takes the longest key at each place. The `tokenizers` library
// looks at whole characters as a reader sees them (with their accents), and at each of them takes the shortest key that
// is its beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

std::string from_base64(std::string_view text);  // InputError for other characters
std::string to_base64(std::string_view bytes);   // without = at the end

struct SentencepieceSpaces {
  bool add_dummy_prefix = true;          // a word at the beginning is like one after a space
  bool remove_extra_whitespaces = true;  // none at the ends, one between words
};

class Charsmap {
 public:
  explicit Charsmap(std::string table = "");  // InputError if it is cut; "" changes nothing

  void normalize(AlignedText& text) const;  // as `tokenizers` does it
  // As sentencepiece does it; spaces become ▁.
  void normalize(AlignedText& text, const SentencepieceSpaces& spaces) const;

 private:
  struct Found {
    size_t bytes;           // length of the key
    std::string_view with;  // what replaces it
  };
  std::optional<Found> find(std::string_view text, bool longest) const;

  std::string strings_;
  std::vector<uint32_t> units_;
};

}  // namespace heed::tokenizers
