// Exercise 01.1: shape, strides and offset of a view.
//
//   position in memory of element (i, j, ...) = offset + i * strides[0] + j * strides[1] + ...
//
// Each function receives the shape, strides and offset of a tensor and returns those of a view of it. No element moves.
//
//   transpose   exchanges the axes a and b
//   slice       keeps the indices begin, begin + step, begin + 2 step, ... below `end` of one axis
//   select      keeps one index of one axis, and removes that axis
//   expand      repeats axes of size 1 until the tensor has the given shape; the number of axes stays the same
//   diagonal    of a matrix [n, n] is a vector [n]: its element i is element (i, i) of the matrix
//
// The functions are checked in this order, up to the first wrong one.
// NumPy describes arrays in the same way: van der Walt, Colbert and Varoquaux, "The NumPy array", 2011.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mine {

struct View {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};

View transpose(View v, size_t a, size_t b);
View slice(View v, size_t axis, int64_t begin, int64_t end, int64_t step);
View select(View v, size_t axis, int64_t index);
View expand(View v, const std::vector<int64_t>& shape);
View diagonal(View v);

}  // namespace mine
