// Reductions over axes, and softmax.
//
// Same bits always: along the last axis, element i is added to lane i mod 64 and the lanes are added in a fixed tree;
// along other axes, rows are added in order. Neither depends on threads, nor on zeros appended as padding.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// The shape with every named axis (none named: all) of size 1. IndexError for an axis out of range or named twice.
Shape reduced_shape(const char* operation, const Shape& shape, const Dims& axes);

// Sum over `axes` (negative from the end; none given: all). keep: reduced axes stay with size 1. An empty sum is 0.
Tensor sum(const Tensor& x, const Dims& axes, bool keep = false);
Tensor sum(const Tensor& x);                                   // all elements, shape []
Tensor sum_to(const Tensor& x, const Shape& shape);            // undo a broadcast: sum over the axes it repeated
Tensor max(const Tensor& x, int64_t axis, bool keep = false);  // IndexError on an axis of size 0
Tensor min(const Tensor& x, int64_t axis, bool keep = false);
Tensor argmax(const Tensor& x, int64_t axis);  // i64, the first of equals
Tensor argmin(const Tensor& x, int64_t axis);
// The largest and the smallest over several axes (none given: all). IndexError over an axis of size 0.
Tensor amax(const Tensor& x, const Dims& axes = {}, bool keep = false);
Tensor amin(const Tensor& x, const Dims& axes = {}, bool keep = false);
// The product, by halves: element i of the first half times element i of the second, until one is left. Over nothing 1.
Tensor prod(const Tensor& x, const Dims& axes = {}, bool keep = false);
// log sum exp over several axes, with the largest taken out first; over nothing, or over -inf only, -inf.
Tensor logsumexp(const Tensor& x, const Dims& axes = {}, bool keep = false);

struct CumsumOptions {
  bool reverse = false;  // from the end: y_i = x_i + x_{i+1} + ...
};
Tensor cumsum(const Tensor& x, int64_t axis, const CumsumOptions& options = {});  // y_i = x_0 + ... + x_i

// Over the last axis, in one pass over each row r:  y = exp(r - max r) / sum exp(r - max r).
// A row of -inf only (nothing is allowed) gives zeros, not NaN: attention over nothing reads nothing.
Tensor softmax_rows(const Tensor& x);
Tensor log_softmax_rows(const Tensor& x);  // r - max r - log sum exp(r - max r); a row of -inf stays -inf
Tensor softmax_rows_backward(const Tensor& y, const Tensor& dy);  // y (dy - sum y dy)
// (softmax(x) - q) scale, row by row, where q is `off` everywhere and `on` more at the target: what cross-entropy hands
// back, with no array beside the result. x [R, V], targets [R] of i64 within [0, V), scale [R], all contiguous but x.
Tensor softmax_rows_minus(const Tensor& x, const Tensor& targets, const Tensor& scale, double on, double off);
Tensor logsumexp_rows(const Tensor& x);  // [.., N] -> [..]; a row of -inf gives -inf

}  // namespace heed
