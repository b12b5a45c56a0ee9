// Exercise 18.1: the distribution of a pointer-generator.
//
//   P(w) = g p(w) + (1 - g) sum_{s : x_s = w} a_s        for w = 0 .. size - 1
//
// p are the probabilities of the V words of the vocabulary, a the attention weights of the S source words, x their ids.
// Source words that the vocabulary lacks have the ids V, V + 1, .. up to size - 1; they have no p, so they can only be
// copied. A word may be in the source more than once. See, Liu and Manning, ACL 2017, equation 9.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

// g: the probability of generating; p [V], a [S], x [S] -> P [size]
std::vector<double> mixture(double g, const std::vector<double>& p, const std::vector<double>& a,
                            const std::vector<std::size_t>& x, std::size_t size);

}  // namespace mine
