// The same elements in other places, by copying: mirrored, turned round, framed, cut along a diagonal. No arithmetic:
// each gradient is the way back. One pass over the elements, forward and back; nothing is saved.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/rearrange.h"

namespace heed {

Variable flip(const Variable& x, const Dims& axes);  // y[.., i, ..] = x[.., n - 1 - i, ..]       dx = dy flipped
// y[.., (i + shift) mod n, ..] = x[.., i, ..], one shift an axis                                 dx = dy rolled back
Variable roll(const Variable& x, const Dims& shifts, const Dims& axes);
// Frames x with `value`, or cuts its edges off where a margin is negative (tensor/rearrange.h):
//   pad(x, {{.axis = 1, .before = 2}, {.axis = -1, .after = -1}})
// dx = dy with all margins negated: what was added is cut off, what was cut off gets zeros.
Variable pad(const Variable& x, const std::vector<Margin>& margins, double value = 0);

// Matrices [.., M, N]: zero above the diagonal (tril) or below it (triu).     dx = tril dy,  dx = triu dy
Variable tril(const Variable& x, int64_t diagonal = 0);
Variable triu(const Variable& x, int64_t diagonal = 0);
// y[.., i] = x at row i, column i + offset of the axes a and b; a view.       dx = dy along a diagonal of zeros
Variable diagonal(const Variable& x, int64_t offset = 0, int64_t a = -2, int64_t b = -1);
// Zeros of `shape` with x along its diagonal: the gradient of diagonal.       dx = diagonal of dy
Variable place_diagonal(const Variable& x, const Shape& shape, int64_t offset = 0, int64_t a = -2, int64_t b = -1);

}  // namespace heed
