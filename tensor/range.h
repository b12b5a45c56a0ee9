// For sums of squares and powers, and for products, that leave the range of the type, though the result does not.
//
//   |(3e30, 4e30)| = 5e30 fits f32, but its square 2.5e61 is infinite; at 1e-30 the square is 0
//
// The rule: compute as the formula says. Only where a row's sum is then infinite, NaN or so small that it has lost
// digits, compute the row again in a unit u of its own size, f(x) = u^k f(x / u). u is a power of two (in norms
// with p != 2 max |x|), so x / u is exact; ordinary rows, whose u is 1, keep every bit, whatever is beside them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/tensor.h"

namespace heed {

// n times the smallest normal number. A sum of n squares below it may have lost digits: squares below the smallest
// normal number are rounded to multiples of the smallest denormal one.
double least_sum(DType dtype, int64_t n);

// A row is the elements that are reduced to one number; `sum` has one number for each row, with every reduced axis of
// size 1. Returns max |x| for rows whose sum is not finite or below `least`, and 1 for all others, also for rows of
// zeros and rows with a NaN or an infinity. Undefined if it would be 1 everywhere.
Tensor largest_out_of_range(const Tensor& x, const Tensor& sum, const Dims& axes, double least);

// The units of rows over the last axis whose sum of squares is not finite or below `least`, [.., 1]; 1 for all others.
// Undefined if there is no such row.
Tensor units_of_rows(const Tensor& x, double least);

// True where z, a quotient of `from` on the way to a result, is infinite, NaN or has lost digits below the smallest
// normal number, and `from` is not 0: bool. Undefined if it would be false everywhere.
Tensor lost_on_the_way(const Tensor& z, const Tensor& from);
struct OnTheWay {
  Tensor z, from;
};
Tensor lost_on_the_way(const OnTheWay& first, const OnTheWay& second);  // where either is

// For a product whose parts leave the range of the type: e with 1 <= |x| / 2^e < 2, element by element, of x's dtype; 0
// for 0, NaN and infinities. And 2^e.
Tensor exponents_of(const Tensor& x);
Tensor powers_of_two(const Tensor& exponents);

// True for the rows in which the product of some of the elements may leave the range of the type: bool, with every
// reduced axis of size 1. Zeros are left out of these products. False for rows with a NaN or an infinity. Undefined if
// it would be false everywhere.
Tensor products_out_of_range(const Tensor& x, const Dims& axes);
// For rows x [R, n]: whole numbers e, as f64 [R, n], such that the product of |x_i| / 2^e_i over any run of neighbours
// lies between 1/2 and 2 (without zeros).
Tensor balanced_exponents(const Tensor& rows);
// The product of each row, [R, n] -> [R]: in f64 with the exponent kept apart, so that nothing on the way overflows.
Tensor product_in_units(const Tensor& rows);

// u = 2^k with u <= x < 2u, for x > 0, but in f32 never beyond 2^-126 and 2^126: u and 1 / u are ordinary numbers.
template <class T>
T unit_of(T x) {
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  return std::ldexp(T{1}, std::clamp(std::ilogb(x), -most, most));
}
Tensor unit_of(const Tensor& x);  // element by element; undefined for an undefined x

}  // namespace heed
