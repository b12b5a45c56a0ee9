// Exercise 34.1: one step of learning a byte-pair encoding.
//
// Words are given as pieces, each word once, with the number of times that it occurs in the text. A pair is two pieces
// that are neighbours in a word:
//
//   5 x  l o w        pairs:  l o  5 + 2 = 7      o w  5 + 2 = 7      w e  2      e r  2
//   2 x  l o w e r
//
// Pairs never reach from one word into the next: a piece is then a part of a word, whatever words stand beside it. The
// pair that occurs most often is joined everywhere, from the left: a a a becomes aa a.
//
// Sennrich, Haddow and Birch, ACL 2016, algorithm 1.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mine {

using Pieces = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;
struct Word {
  Pieces pieces;
  int64_t count;  // in the text
};

// How often each pair occurs in the text. In a a a, the pair a a occurs twice.
std::map<Pair, int64_t> count_pairs(const std::vector<Word>& words);

// The pieces after the pair was joined wherever it occurs.
Pieces joined(const Pieces& pieces, const Pair& pair);

}  // namespace mine
