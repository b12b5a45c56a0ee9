// Operations on tensors one element at a time, with broadcasting: y_i = f(a_i, b_i). Functions of one argument are in
// functions.h, comparisons and masks in compare.h.
//
// Inputs may have any strides; results are contiguous. Two tensors broadcast by NumPy's rule and need one dtype. A
// scalar takes the tensor's dtype; if an i64 or a bool cannot hold it (0.5), it is a ValueError and never silently 0.
// Errors: ShapeError, DTypeError, ValueError. No gradients here: autograd/ has the functions of the same names
// on Variables.
#pragma once

#include "tensor/compare.h"
#include "tensor/functions.h"
#include "tensor/tensor.h"

namespace heed {

// f32, f64 and i64; div and pow only f32 and f64.
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);  // NaN where either is NaN
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, double s);
Tensor sub(const Tensor& a, double s);
Tensor sub(double s, const Tensor& a);
Tensor mul(const Tensor& a, double s);
Tensor div(const Tensor& a, double s);
Tensor div(double s, const Tensor& a);

// Products for gradients: 0 times or divided by anything is 0, NaN and infinity included (autograd/chain_rule.h).
Tensor chain_times(const Tensor& dy, const Tensor& slope);  // dy slope; 0 where dy is 0
Tensor chain_over(const Tensor& dy, const Tensor& x);       // dy / x; 0 where dy is 0
Tensor chain_both(const Tensor& a, const Tensor& b);        // a b; 0 where a or b is 0

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);  // condition ? a : b, broadcast
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);    // mask ? value : x, broadcast
Tensor cast(const Tensor& x, DType dtype);

// Writes in place and increments the version of y. x is broadcast to y's shape, and is read as it was before the write:
// where it overlaps y in memory without being the same elements in the same places (a transpose of y, a row of y, a
// window of y that is shifted by one), it is copied first. y may have any strides, but must not hold an element twice
// (an expanded tensor, overlapping windows): ValueError. The test for that is by the strides, and conservative: it also
// refuses the rare windows that interlock without an element in common, such as shape [3, 3] with strides [3, 2].
void copy_into(Tensor& y, const Tensor& x);
void add_into(Tensor& y, const Tensor& x, double scale = 1);  // y += scale x
void scale_into(Tensor& y, double s);                         // y *= s
void fill_into(Tensor& y, double value);

// An inverted-dropout mask: 1/(1-p) where kept, 0 where dropped. Element i depends on (seed, offset, i) alone.
Tensor dropout_mask(const Shape& shape, DType dtype, double p, uint64_t seed, uint64_t offset);
Tensor dropout(const Tensor& x, double p, uint64_t seed, uint64_t offset);  // x times that mask, in one pass
int64_t dropout_blocks(int64_t count);  // Philox blocks that a mask of `count` elements uses

// ValueError for a finite parameter other than 0 that f32 rounds to infinity or to 0.
void require_fits(const char* operation, double parameter, DType dtype);
bool all_finite(const Tensor& x);
// First index (row-major) with NaN, or with an infinity where `infinities` asks for them; -1 if none.
int64_t first_not_finite(const Tensor& x, bool infinities);
bool bit_equal(const Tensor& a, const Tensor& b);  // same dtype, shape and bits
double max_abs_difference(const Tensor& a, const Tensor& b);

}  // namespace heed
