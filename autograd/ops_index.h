// Picking by index. Indices are i64 Tensors: they have no gradient.
#pragma once

#include "autograd/variable.h"

namespace heed {

// y = table[index]           table [V, D..], index [..] -> [.., D..]      dtable[index] += dy
Variable index_select(const Variable& table, const Tensor& index);
// Rows of zeros [size, D..] with dy added at index: the gradient of index_select.       dx = dy[index]
Variable index_add(const Variable& x, const Tensor& index, int64_t size);
// y[.., i] = x[.., index[.., i]]      x [.., N], index [.., M] -> [.., M]               dx[.., index] += dy
Variable gather(const Variable& x, const Tensor& index);
// Zeros [.., size] with x[.., i] added at index[.., i]: the gradient of gather.         dx = dy[.., index]
Variable scatter_add(const Variable& x, const Tensor& index, int64_t size);
// Rows of a table (an embedding); the row of `padding` (if >= 0) receives no gradient.  ids [..] -> [.., D]
Variable embedding(const Variable& table, const Tensor& ids, int64_t padding = -1);

}  // namespace heed
