// Sorting along an axis.
//
// Sorting is stable (equal elements keep their order), and NaN counts as larger than every number, whatever the
// direction: so the result is the same on every machine. Any dtype (false before true), any strides.
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
// The first k of that order (of the descending order for the largest); ValueError unless 0 <= k <= N. O(N log k).
Tensor argtopk(const Tensor& x, int64_t k, int64_t axis = -1, const TopKOptions& options = {});

}  // namespace heed
