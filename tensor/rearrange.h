// The same elements in other places: mirrored, rotated, padded, cut along a diagonal, in windows.
//
// Any dtype, any strides. diagonal, unfold and movedim are views; the others copy, since strides are never negative. No
// gradients here (autograd/ops_shape.h has the functions of the same names on Variables).
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

Tensor flip(const Tensor& x, const Dims& axes);  // y[.., i, ..] = x[.., n - 1 - i, ..] along each axis
// y[.., (i + shift) mod n, ..] = x[.., i, ..] along each axis; one shift per axis (ValueError), of any sign
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& axes);

// What pad adds at the two ends of an axis. A negative number removes elements.
struct Margin {
  int64_t axis, before = 0, after = 0;
};
Tensor pad(const Tensor& x, const std::vector<Margin>& margins, double value = 0);

// Matrices x [.., M, N]: the elements with column - row <= diagonal (tril) or >= diagonal (triu), zero elsewhere.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);

// y[.., i] = x at row i, column i + offset of the axes a and b, which are removed; the diagonal is the last axis. A
// view.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t a = -2, int64_t b = -1);
// Windows of `size` elements, `step` apart: y[.., w, .., i] = x[.., w step + i, ..]. [.., n, ..] becomes
// [.., windows, .., size] with (n - size) / step + 1 windows, rounded down; the elements of each are the last axis. A
// view, whose windows overlap where step < size.                                         (PyTorch: Tensor.unfold)
Tensor unfold(const Tensor& x, int64_t axis, int64_t size, int64_t step);
// The axis `from` moves to the position `to`; the others keep their order. A view.
Tensor movedim(const Tensor& x, int64_t from, int64_t to);

}  // namespace heed
