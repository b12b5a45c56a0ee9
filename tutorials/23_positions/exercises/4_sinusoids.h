// Exercise 23.4: sinusoidal positions.
//
//   P[p, 2i]     = sin(p / 10000^(2i / D))        p position, from 0;  2i the even columns
//   P[p, 2i + 1] = cos(p / 10000^(2i / D))        the odd column beside it has the same angle
//
// The row p is added to the vector of the word at position p. T positions, D width of the model, an even number.
// Vaswani et al., NeurIPS 2017, section 3.5.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

std::vector<double> sinusoids(int64_t T, int64_t D);  // P [T, D], row by row: element p * D + c

}  // namespace mine
