// Exercise 34.2: cut a new word with merges that were learned.
//
// The word begins as its letters. Of all neighbours that are a merge, the one that was learned first is joined, the
// leftmost of equal ones; then again, until no neighbours are a merge.
//
//   merges, in this order:   a b    b c    a bc
//
//   a b c      both a b and b c are merges; a b was learned first      ab c
//   x b c      only b c is                                             x bc
//
// Sennrich, Haddow and Birch, ACL 2016; GPT-2's encoder.py.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mine {

using Pieces = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

// letters: the word. merges: in the order of learning; each pair occurs once.
Pieces cut(Pieces letters, const std::vector<Pair>& merges);

}  // namespace mine
