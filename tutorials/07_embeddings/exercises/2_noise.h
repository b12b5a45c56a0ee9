// Exercise 07.2: draw negative samples.
//
//   p(w) = count(w)^power / sum over x of count(x)^power
//
// power 1 draws words as often as they occur in the text, power 0 draws all words equally often; word2vec uses 3/4. A
// word with count 0 is never drawn, whatever the power.
//
// draw(p, r): cut [0, 1) into pieces of lengths p[0], p[1], .. in this order. The result is the word whose piece
// contains the random number r, 0 <= r < 1. A piece contains its left end and not its right end.
//
// Mikolov et al., NeurIPS 2013, section 2.2.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Vector = std::vector<double>;

Vector probabilities(const Vector& count, double power);  // one number per word
std::size_t draw(const Vector& p, double r);              // the number of a word

}  // namespace mine
