// Exercise 34.3: the most probable pieces of a word, Viterbi's algorithm.
//
// Each piece has the logarithm of its probability. A cut of the word into pieces has the sum of its pieces, and the cut
// with the largest sum is wanted:
//
//   hugs    hug -2.3, s -2, h -4, u -4, g -4, hu -3.9, ug -2.5, gs -2.5
//
//   best(0) = 0                                          the beginning of the word
//   best(e) = max over pieces word[b, e) of best(b) + log p(word[b, e))
//
//   best(1) = -4 (h)    best(2) = -3.9 (hu)    best(3) = -2.3 (hug)
//   best(4) = max(best(3) - 2, best(2) - 2.5) = max(-4.3, -6.4) = -4.3       hug s
//
// A letter that is no piece is read as a piece of its own, with the log-probability `unknown`. Of equal sums, keep the
// cut whose last piece is longer.
//
// Kudo, "Subword regularization", ACL 2018, section 3.2; Viterbi, 1967.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace mine {

using Pieces = std::vector<std::string>;

// word: letters of one byte each.
Pieces best_cut(const std::string& word, const std::map<std::string, double>& log_p, double unknown);

}  // namespace mine
