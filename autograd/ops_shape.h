// The same elements in other places: views, slices, flips, padding, diagonals, windows. No arithmetic: each gradient
// moves dy back to where the elements came from, and nothing is saved.
//
// reshape (where the strides allow), transpose, permute, movedim, squeeze, unsqueeze, slice, narrow, select, split,
// chunk, unstack, diagonal and unfold are views of x's memory; contiguous is x itself if it is contiguous. The others
// copy. tensor/rearrange.h and tensor/indexing.h explain the arguments of the functions of the same names.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/indexing.h"
#include "tensor/rearrange.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape);        // dx = dy reshaped back; one size may be -1
Variable transpose(const Variable& x, int64_t a, int64_t b);    // dx = dy transposed back
Variable permute(const Variable& x, const Dims& axes);          // dx = dy permuted back
Variable movedim(const Variable& x, int64_t from, int64_t to);  // dx = dy moved back
Variable squeeze(const Variable& x, int64_t axis);
Variable unsqueeze(const Variable& x, int64_t axis);
Variable contiguous(const Variable& x);  // dx = dy

// dx = dy in zeros, at the places of the slice.
Variable slice(const Variable& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);
Variable narrow(const Variable& x, int64_t axis, int64_t begin, int64_t length);  // a slice by its length
Variable select(const Variable& x, int64_t axis, int64_t index);                  // a slice of one, axis removed
// Zeros of `size` along the axis with x at begin, begin + step, ...: the gradient of slice.      dx = slice of dy
Variable place(const Variable& x, int64_t axis, int64_t begin, int64_t step, int64_t size);

Variable concat(const std::vector<Variable>& parts, int64_t axis);  // dx_i = its part of dy
Variable stack(const std::vector<Variable>& parts, int64_t axis);   // along a new axis
// Cut an axis into pieces of the given sizes (their sum must be the axis); one node with several outputs.
std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes, int64_t axis);
// Cut into `count` pieces of equal size; if that does not divide, the last are shorter or fewer, as in PyTorch.
std::vector<Variable> chunk(const Variable& x, int64_t count, int64_t axis);
std::vector<Variable> unstack(const Variable& x, int64_t axis);  // the slices x[i], axis removed; one node

Variable flip(const Variable& x, const Dims& axes);                      // dx = dy flipped
Variable roll(const Variable& x, const Dims& shifts, const Dims& axes);  // dx = dy rolled back
Variable tril(const Variable& x, int64_t diagonal = 0);                  // dx = tril dy
Variable triu(const Variable& x, int64_t diagonal = 0);                  // dx = triu dy
// Adds a margin of `value`, or cuts elements off where a margin is negative:
//   pad(x, {{.axis = 1, .before = 2}, {.axis = -1, .after = -1}})
// dx = dy with all margins negated: what was added is cut off, what was cut off gets zeros.
Variable pad(const Variable& x, const std::vector<Margin>& margins, double value = 0);

Variable diagonal(const Variable& x, int64_t offset = 0, int64_t a = -2, int64_t b = -1);
// Zeros of `shape` with x along its diagonal: the gradient of diagonal.                          dx = diagonal of dy
Variable place_diagonal(const Variable& x, const Shape& shape, int64_t offset = 0, int64_t a = -2, int64_t b = -1);
// Windows of `size` elements along an axis, `step` apart: [.., n, ..] -> [.., windows, .., size].   dx = fold of dy
Variable unfold(const Variable& x, int64_t axis, int64_t size, int64_t step);
// Windows x [.., windows, .., size] added into zeros of `length` along the axis, at the places where unfold takes them
// from: the gradient of unfold.                                                                  dx = unfold of dy
Variable fold(const Variable& x, int64_t axis, int64_t length, int64_t step);

}  // namespace heed
