// Exercise 01.2: broadcasting by index arithmetic.
//
//   c [...] = a [...] + b [...]       axes are aligned at the right; on each axis the two sizes are equal, or one of
//                                     them is 1, or one of the tensors does not have the axis
//
// All three are contiguous arrays in row-major order. Element number n of c has an index (.., i, j). The element of a
// that it needs has the same index, except that it is 0 on every axis where a has size 1, and that axes which a does
// not have are left out. The rule is NumPy's: "Broadcasting", NumPy user guide.
// The second function is checked once the first is right.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

using Sizes = std::vector<int64_t>;

// The shape of c. Throws std::invalid_argument where the sizes do not fit.
Sizes result_shape(const Sizes& a, const Sizes& b);

// Which element of an array of shape `from` is read for element number n of c, whose shape is `shape`.
int64_t source(int64_t n, const Sizes& shape, const Sizes& from);

}  // namespace mine
