// Operations on one element at a time, with broadcasting. y_i = f(x_i), or y_i = f(a_i, b_i).
//
// Inputs may have any strides; results are contiguous. Binary operations broadcast by NumPy's rule and need one dtype.
// Errors: ShapeError, DTypeError. No gradients here (autograd/ has the functions of the same names on Variables).
#pragma once

#include "tensor/compare.h"
#include "tensor/tensor.h"

namespace heed {

// One argument; f32 and f64 (neg, abs and square also i64).
Tensor neg(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor square(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor rsqrt(const Tensor& x);       // 1 / sqrt(x)
Tensor reciprocal(const Tensor& x);  // 1 / x
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor erf(const Tensor& x);    // 2 / sqrt(pi) int_0^x exp(-t^2) dt
Tensor expm1(const Tensor& x);  // e^x - 1, exact near 0
Tensor log1p(const Tensor& x);  // log(1 + x), exact near 0
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor sign(const Tensor& x);   // -1, 0, 1
Tensor floor(const Tensor& x);  // the largest integer that is not above x
Tensor round(const Tensor& x);  // the nearest integer; a half goes to the even one

// Two arguments.
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, const Tensor& b);

// A scalar takes the tensor's dtype.
Tensor add(const Tensor& a, double s);
Tensor sub(const Tensor& a, double s);
Tensor sub(double s, const Tensor& a);
Tensor mul(const Tensor& a, double s);
Tensor div(const Tensor& a, double s);
Tensor div(double s, const Tensor& a);
Tensor pow(const Tensor& a, double exponent);
Tensor clamp(const Tensor& x, double low, double high);

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);  // condition ? a : b, broadcast
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);    // mask ? value : x, broadcast
Tensor cast(const Tensor& x, DType dtype);

// Writes. `y` may have any strides but no repeated element; x is broadcast to y's shape. They count as in-place writes.
void copy_into(Tensor& y, const Tensor& x);
void add_into(Tensor& y, const Tensor& x, double scale = 1);  // y += scale x
void scale_into(Tensor& y, double s);                         // y *= s
void fill_into(Tensor& y, double value);

// An inverted-dropout mask: 1/(1-p) where kept, 0 where dropped. Element i depends on (seed, offset, i) alone.
Tensor dropout_mask(const Shape& shape, DType dtype, double p, uint64_t seed, uint64_t offset);
Tensor dropout(const Tensor& x, double p, uint64_t seed, uint64_t offset);  // x times that mask, in one pass
int64_t dropout_blocks(int64_t count);  // Philox blocks that a mask of `count` elements uses

bool all_finite(const Tensor& x);
// First index (row-major) with NaN, or with an infinity where `infinities` asks for them; -1 if none.
int64_t first_not_finite(const Tensor& x, bool infinities);
bool bit_equal(const Tensor& a, const Tensor& b);  // same dtype, shape and bits
double max_abs_difference(const Tensor& a, const Tensor& b);

}  // namespace heed
