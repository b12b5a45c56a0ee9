// Selecting rows and elements by index, adding at an index, and joining.
//
// Indices are i64, and all are checked: one out of range is an IndexError that names it. Additions at repeated indices
// are made in the order of the indices, so the bits do not depend on the number of threads.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// y[i.., :] = table[index[i..], :]       table [V, D..], index any shape -> [index.., D..]
Tensor index_select(const Tensor& table, const Tensor& index);
// The same along any axis: x [A.., V, D..], index any shape -> [A.., index.., D..]
Tensor index_select(const Tensor& x, int64_t axis, const Tensor& index);
// dtable[index[i..], :] += dy[i.., :]    dtable [V, D..]
void index_add_into(Tensor& dtable, const Tensor& index, const Tensor& dy);

// y[.., i] = x[.., index[.., i]] along the last axis      x [.., N], index [.., M] -> [.., M]
Tensor gather_last(const Tensor& x, const Tensor& index);
// dx[.., index[.., i]] += dy[.., i] along the last axis
void scatter_add_last_into(Tensor& dx, const Tensor& index, const Tensor& dy);

// Along any axis, as in PyTorch; here for axis 1 of three:  y[i, j, k] = x[i, index[i, j, k], k].
// y has the shape of the index, which may be narrower than x on the other axes, and of any size along the axis.
Tensor gather(const Tensor& x, int64_t axis, const Tensor& index);
// x[i, index[i, j, k], k] += values[i, j, k], in row-major order of the index. x contiguous; values of index's shape.
void scatter_add_into(Tensor& x, int64_t axis, const Tensor& index, const Tensor& values);

// Join along an axis; all other sizes and the dtype must agree. At least one tensor.
Tensor concat(const std::vector<Tensor>& parts, int64_t axis);
Tensor stack(const std::vector<Tensor>& parts, int64_t axis);  // along a new axis
// For lists in braces: without these, concat({a, b}, 0) could also mean the function on Variables.
inline Tensor concat(std::initializer_list<Tensor> parts, int64_t axis) { return concat(std::vector(parts), axis); }
inline Tensor stack(std::initializer_list<Tensor> parts, int64_t axis) { return stack(std::vector(parts), axis); }

// 1 at the index, 0 elsewhere: index [..] -> [.., classes]
Tensor one_hot(const Tensor& index, int64_t classes, DType dtype = DType::f32);

}  // namespace heed
