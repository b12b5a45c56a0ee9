// Order along an axis: which element is first, second, third.
//
// Sorting is stable (equal elements keep their order) and NaN counts as the largest of all, whatever the direction: so
// the result is one and the same on every machine. f32, f64 and i64; any strides.
#pragma once

#include "tensor/tensor.h"

namespace heed {

struct SortOptions {
  bool descending = false;
};
// i64 of x's shape: the position of the smallest element along the axis, of the next, ...
// gather(x, axis, argsort(x, axis)) is x in order.
Tensor argsort(const Tensor& x, int64_t axis = -1, const SortOptions& options = {});

struct TopKOptions {
  bool largest = true;  // false: the smallest
};
// The first k of that order (of the descending one for the largest), in order. N log k, not N log N.
Tensor argtopk(const Tensor& x, int64_t k, int64_t axis = -1, const TopKOptions& options = {});

}  // namespace heed
