// Reductions. Axes may be negative; no axes means all of them. keep: reduced axes stay with size 1.
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce.h"

namespace heed {

// y = sum over axes of x         dx = dy, repeated along the axes (a view)
Variable sum(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = sum / n                    dx = dy / n, repeated. ValueError over nothing.
Variable mean(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = max along an axis          dx = dy at the first largest element (not smooth where two are equal)
Variable max(const Variable& x, int64_t axis, bool keep = false);
// y = min along an axis          dx = dy at the first smallest element
Variable min(const Variable& x, int64_t axis, bool keep = false);
// y = max over axes              dx = dy shared equally by all elements that equal y (not smooth where there are two)
// IndexError over nothing. A NaN wins, and the gradient of its row is NaN.          saves x, y
Variable amax(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = min over axes              dx as that of amax
Variable amin(const Variable& x, const Dims& axes = {}, bool keep = false);
inline Variable max(const Variable& x) { return amax(x); }  // of all elements
inline Variable min(const Variable& x) { return amin(x); }
// y = prod over axes             dx_i = dy prod_{j != i} x_j, without a division: right with any number of zeros.
// Multiplied by halves: log2 n nodes, n - 1 products forward and twice that back, saves x and the halves. Over
// nothing 1.
Variable prod(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = log sum over axes of e^x   dx = dy e^(x - y)                                   saves x, y
// The largest is taken out first, so that nothing overflows. Over -inf only y = -inf with gradient 0; where an element
// is +inf, y is too and the gradient NaN.
Variable logsumexp(const Variable& x, const Dims& axes = {}, bool keep = false);
// y_i = x_0 + ... + x_i along an axis        dx_i = dy_i + ... + dy_n: a cumsum from the other end
// .reverse: y_i = x_i + ... + x_n
Variable cumsum(const Variable& x, int64_t axis, const CumsumOptions& options = {});
// Sum over the axes along which `shape` was repeated to x's: the gradient of expand.   dx = dy expanded
Variable sum_to(const Variable& x, const Shape& shape);
// Repeat axes of size 1 (a view).                                                       dx = dy summed
Variable expand(const Variable& x, const Shape& shape);

}  // namespace heed
