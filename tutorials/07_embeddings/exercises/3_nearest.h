// Exercise 07.3: the nearest words.
//
//   cos(a, b) = a . b / (|a| |b|)            |a| = sqrt(a . a)
//
// nearest(vectors, word, count): the numbers of the `count` rows with the largest cosine to row `word`, the largest
// first; of rows with equal cosines, the one with the lower number first. A word is not its own neighbour. If there are
// fewer than `count` other rows, all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Vector = std::vector<double>;

std::vector<std::size_t> nearest(const std::vector<Vector>& vectors, std::size_t word, std::size_t count);

}  // namespace mine
