// Reductions. Axes may be negative; no axes means all of them. keep: reduced axes stay with size 1.
#pragma once

#include "autograd/variable.h"

namespace heed {

// y = sum over axes of x         dx = dy, repeated along the axes (a view)
Variable sum(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = sum / n                    dx = dy / n, repeated. ValueError over nothing.
Variable mean(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = max along an axis          dx = dy at the first largest element (not smooth where two are equal)
Variable max(const Variable& x, int64_t axis, bool keep = false);
// Sum over the axes along which `shape` was repeated to x's: the gradient of expand.   dx = dy expanded
Variable sum_to(const Variable& x, const Shape& shape);
// Repeat axes of size 1 (a view).                                                       dx = dy summed
Variable expand(const Variable& x, const Shape& shape);

}  // namespace heed
