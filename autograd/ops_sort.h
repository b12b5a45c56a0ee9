// Order along an axis. The values are gathered from x, so the gradient goes back to where each of them stood; the
// positions are integers and have none. Not smooth where two elements are equal: their order, the one in which they
// stand, decides.
#pragma once

#include "autograd/variable.h"
#include "tensor/sort.h"

namespace heed {

struct Sorted {
  Variable values;
  Tensor indices;  // i64, where each value stood along the axis
};

// values = x in ascending order along the axis, stable, NaN as the largest     dx[indices] = dvalues     saves indices
Sorted sort(const Variable& x, int64_t axis = -1, const SortOptions& options = {});
// The k largest (or smallest) along the axis, in order; values [.., k, ..]     dx[indices] = dvalues, 0 elsewhere
Sorted topk(const Variable& x, int64_t k, int64_t axis = -1, const TopKOptions& options = {});

}  // namespace heed
