// Reductions over axes, and softmax.
//
// Sums are added in a fixed tree (tensor/kernels/sums.h), so their bits depend neither on the number of threads nor on
// zeros appended as padding. Long sums stay accurate: 10^7 terms 0.1 in f32 have a relative error of 6e-7.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// The shape with every named axis (none named: all) of size 1, or without it. IndexError for an axis out of range or
// named twice.
Shape reduced_shape(const char* operation, const Shape& shape, const Dims& axes, bool keep = true);

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
inline Tensor max(const Tensor& x) { return amax(x); }  // of all elements
inline Tensor min(const Tensor& x) { return amin(x); }
// The product, by halves: element i of the first half times element i of the second, until one is left. Over nothing 1.
Tensor prod(const Tensor& x, const Dims& axes = {}, bool keep = false);
// log sum exp over several axes, with the largest taken out first; over nothing, or over -inf only, -inf.
Tensor logsumexp(const Tensor& x, const Dims& axes = {}, bool keep = false);

struct CumsumOptions {
  bool reverse = false;  // from the end: y_i = x_i + x_{i+1} + ...
};
Tensor cumsum(const Tensor& x, int64_t axis, const CumsumOptions& options = {});  // y_i = x_0 + ... + x_i
// y_i = a_i y_{i-1} + x_i along an axis, from y_{-1} = 0; .reverse: y_i = a_{i+1} y_{i+1} + x_i. One shape and type,
// f32 or f64; else ShapeError or DTypeError.
Tensor linear_scan(const Tensor& a, const Tensor& x, int64_t axis, const CumsumOptions& options = {});

// Over the last axis (rows r), f32 or f64:  y = exp(r - max r) / sum exp(r - max r). ShapeError for a scalar.
// A row that is all -inf (fully masked) gives zeros, not NaN, so such a query gets no value from attention. If some of
// a row are +inf (they overflowed), these share the weight equally and all others get 0.
Tensor softmax_rows(const Tensor& x);
Tensor log_softmax_rows(const Tensor& x);  // r - max r - log sum exp(r - max r); a row of -inf stays -inf
Tensor softmax_rows_backward(const Tensor& y, const Tensor& dy);  // y (dy - sum y dy)
Tensor logsumexp_rows(const Tensor& x);                           // [.., N] -> [..]; a row of -inf gives -inf

// The weighted target of each row of logits x [R, V]:  q_v = w_v (on t_v + off). autograd/ops_softmax.h checks shapes.
struct RowTargets {
  Tensor index;            // [R] i64 within [0, V): t is 1 there and 0 elsewhere. Undefined if p is given.
  Tensor p = {};           // t itself, [R, V] of x's type
  Tensor weight = {};      // w, [V] of x's type; undefined: 1
  double on = 1, off = 0;  // 1 - e and e / V where the targets are smoothed by e
};
// Row by row -sum_v q_v log softmax(x)_v, [R]. Where q_v = 0, v counts for nothing, even at x_v = -inf.
Tensor cross_entropy_rows(const Tensor& x, const RowTargets& q);
// Its gradient [R, V]:  d_r (softmax(x_r) sum_v q_rv - q_r), for d [R]; needs no other memory. 0 in rows with d_r = 0.
// in_place: it is written over x, if x is contiguous.
Tensor cross_entropy_rows_backward(const Tensor& x, const RowTargets& q, const Tensor& d, bool in_place = false);

}  // namespace heed
