// Sums of squares and powers that leave the range of the type, though what is made of them does not.
//
//   |(3e30, 4e30)| = 5e30 fits f32, but its square 2.5e61 is infinite; at 1e-30 the square is 0
//
// The rule: compute as the formula says. Only where a row's sum is then infinite, NaN or so small that it has lost
// digits, compute the row again in a unit u of its own size, f(x) = u^k f(x / u). u is a power of two, so x / u is
// exact and ordinary rows, whose u is 1, keep every bit, whatever is beside them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/tensor.h"

namespace heed {

// Below it a sum of n squares has lost digits: each of them was rounded to a multiple of the smallest number.
double least_sum(DType dtype, int64_t n);

// max |x| over the axes in those rows whose `sum` (of the shape with every reduced axis 1) is not finite or below
// `least`, 1 in all others; undefined if there is no such row. Rows of zeros, and with a NaN or an infinity, stay.
Tensor largest_out_of_range(const Tensor& x, const Tensor& sum, const Dims& axes, double least);

// The units of rows over the last axis whose sum of squares is not finite or below `least`, [.., 1]; 1 for all others.
// Undefined if there is no such row.
Tensor units_of_rows(const Tensor& x, double least);

// The rows of which some elements may have a product that is out of range, as bool with every reduced axis 1. Undefined
// if there is none. Zeros do not count, and rows with a NaN or an infinity stay.
Tensor products_out_of_range(const Tensor& x, const Dims& axes);
// Whole numbers e, as f64 [R, n], such that x_i / 2^e_i and the products of neighbours of them lie between 1/2 and 2.
Tensor balanced_exponents(const Tensor& rows);
Tensor product_in_units(const Tensor& rows);  // [R, n] -> [R]

// The power of two of the size of a positive number, u <= x < 2u. Both u and 1 / u are ordinary numbers.
template <class T>
T unit_of(T x) {
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  return std::ldexp(T{1}, std::clamp(std::ilogb(x), -most, most));
}
Tensor unit_of(const Tensor& x);  // element by element; undefined for an undefined x

}  // namespace heed
