// The same elements in other places: mirrored, turned round, framed, cut along a diagonal.
//
// Any dtype, any strides. diagonal and movedim are views; the rest copy, since strides are never negative. No
// gradients here (autograd/ops_rearrange.h has the functions of the same names on Variables).
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

Tensor flip(const Tensor& x, const Dims& axes);  // y[.., i, ..] = x[.., n - 1 - i, ..] along each axis
// y[.., (i + shift) mod n, ..] = x[.., i, ..] along each axis; one shift an axis, of any sign and size
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& axes);

// What pad adds at the two ends of an axis. Negative numbers take elements away.
struct Margin {
  int64_t axis, before = 0, after = 0;
};
Tensor pad(const Tensor& x, const std::vector<Margin>& margins, double value = 0);

// Matrices x [.., M, N]: the elements with column - row <= diagonal (tril) or >= diagonal (triu), zero elsewhere.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);

// y[.., i] = x at row i, column i + offset of the axes a and b, which go; the diagonal is the last axis. A view.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t a = -2, int64_t b = -1);
// The axis `from` stands at `to`; the others keep their order. A view.
Tensor movedim(const Tensor& x, int64_t from, int64_t to);

}  // namespace heed
