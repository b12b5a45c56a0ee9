// Selecting by index, and sorting along an axis. Indices are i64 Tensors without a gradient. They are saved: backward
// throws a GraphError if one has been overwritten.
#pragma once

#include "autograd/variable.h"
#include "tensor/indexing.h"
#include "tensor/sort.h"

namespace heed {

// y = table[index]           table [V, D..], index [..] -> [.., D..]      dtable[index] += dy
Variable index_select(const Variable& table, const Tensor& index);
// The same along any axis:   x [A.., V, D..], index [..] -> [A.., .., D..]
Variable index_select(const Variable& x, int64_t axis, const Tensor& index);
// Rows of zeros [size, D..] with dy added at index: the gradient of index_select.       dx = dy[index]
Variable index_add(const Variable& x, const Tensor& index, int64_t size);

// Along any axis, as in PyTorch; written for axis 1 of three. The index may be narrower than x on the other axes.
// y[i, j, k] = x[i, index[i, j, k], k]; y has the shape of the index.     dx[i, index[i, j, k], k] += dy[i, j, k]
Variable gather(const Variable& x, int64_t axis, const Tensor& index);
// y = x, then y[i, index[i, j, k], k] += src[i, j, k] over the index, which may be narrower than src too.
// dx = dy,  dsrc = dy gathered at the index (0 where the index does not reach)
Variable scatter_add(const Variable& x, int64_t axis, const Tensor& index, const Variable& src);
// Along the last axis; all other sizes of x and index must be equal:
// y[.., i] = x[.., index[.., i]]      x [.., N], index [.., M] -> [.., M]               dx[.., index] += dy
Variable gather(const Variable& x, const Tensor& index);
// Zeros [.., size] with x[.., i] added at index[.., i]: the gradient of gather.         dx = dy[.., index]
Variable scatter_add(const Variable& x, const Tensor& index, int64_t size);

// Rows of a table (an embedding); the row of `padding` (if >= 0) receives no gradient.  ids [..] -> [.., D]
Variable embedding(const Variable& table, const Tensor& ids, int64_t padding = -1);

// The sorted values are gathered from x, so each gradient goes back to the position that its value came from. Of equal
// elements the one at the lower position comes first; there the function is not smooth.
struct Sorted {
  Variable values;
  Tensor indices;  // i64, the position of each value along the axis
};
// values = x in ascending order along the axis, stable, NaN as the largest     dx[indices] = dvalues     saves indices
Sorted sort(const Variable& x, int64_t axis = -1, const SortOptions& options = {});
// The k largest (or smallest) along the axis, in order; values [.., k, ..]     dx[indices] = dvalues, 0 elsewhere
Sorted topk(const Variable& x, int64_t k, int64_t axis = -1, const TopKOptions& options = {});

}  // namespace heed
