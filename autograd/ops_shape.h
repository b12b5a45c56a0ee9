// Rearrangements: no arithmetic, so gradients are the inverse rearrangement. Views where tensor/ gives views.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape);        // dx = dy reshaped back; one size may be -1
Variable transpose(const Variable& x, int64_t a, int64_t b);    // dx = dy transposed back
Variable permute(const Variable& x, const Dims& axes);          // dx = dy permuted back
Variable movedim(const Variable& x, int64_t from, int64_t to);  // the axis `from` stands at `to`: a permute
Variable squeeze(const Variable& x, int64_t axis);
Variable unsqueeze(const Variable& x, int64_t axis);
Variable contiguous(const Variable& x);  // dx = dy
Variable slice(const Variable& x, int64_t axis, int64_t begin, int64_t end,
               int64_t step = 1);                                                 // dx = dy placed in zeros
Variable narrow(const Variable& x, int64_t axis, int64_t begin, int64_t length);  // slice by its length
Variable select(const Variable& x, int64_t axis, int64_t index);                  // slice of one, axis removed
Variable concat(const std::vector<Variable>& parts, int64_t axis);                // dx_i = its part of dy
Variable stack(const std::vector<Variable>& parts, int64_t axis);                 // along a new axis
// Cut an axis into pieces of the given sizes (their sum must be the axis); one node with several outputs.
std::vector<Variable> split(const Variable& x, const std::vector<int64_t>& sizes, int64_t axis);
// Cut into `count` pieces of equal size; if that does not divide, the last are shorter or fewer, as in PyTorch.
std::vector<Variable> chunk(const Variable& x, int64_t count, int64_t axis);
std::vector<Variable> unstack(const Variable& x, int64_t axis);  // the slices x[i], axis removed; one node
// Zeros of `size` along the axis with x standing at begin, begin + step, ...: the gradient of slice.
Variable place(const Variable& x, int64_t axis, int64_t begin, int64_t step, int64_t size);

}  // namespace heed
