// Exercise 30.1: one merge of a byte-pair encoding.
//
//   count    each pair of neighbouring pieces, in each word as often as the word occurs
//   choose   the most frequent pair; of equally frequent pairs the first in alphabetical order
//   merge    the pair becomes one piece in all words, from left to right: a a a gives aa a
//
// The library takes the last of equally frequent pairs (nn/text/bpe.h). Which one is taken is a convention, but
// training and translation must agree on it.
//
// Sennrich, Haddow and Birch, ACL 2016, section 3.2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mine {

using Pieces = std::vector<std::string>;
struct Word {
  Pieces pieces;
  int64_t times;  // how often the word occurs in the text
};

// Changes the pieces of `words`. Words without any pair stay as they are.
void merge_once(std::vector<Word>& words);

}  // namespace mine
