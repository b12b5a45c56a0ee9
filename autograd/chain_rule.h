// The chain rule for operations of one element: dx = dy f'(x), where a dy of exactly 0 stays 0, whatever the slope.
//
//   where(x > 0, sqrt(x), x) at x = -4      sqrt is not chosen, so its dy is 0; its slope there is NaN
//   0 * NaN = NaN                           would destroy the gradient 1 of the branch that was chosen
//   chain_times(0, NaN) = 0                 the rule: what does not reach the loss has the gradient 0
//
// The gradients of gradients keep the rule. With z = chain_times(dy, s) and a gradient dz of z,
//
//   d(dy) = chain_times(dz, s)    0 where dz is 0; but dz s where dy is 0, because z has the slope s there, too
//   ds    = chain_both(dz, dy)    0 where dz or dy is 0
//
// Matrix products do not follow this rule: to check each term of their sums would cost too much.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed {

Variable chain_times(const Variable& dy, const Variable& slope);  // dy slope; 0 where dy is 0
Variable chain_times(const Variable& dy, double slope);           // the same
Variable chain_over(const Variable& dy, const Variable& x);       // dy / x; 0 where dy is 0
Variable chain_over(const Variable& dy, double x);                // the same
Variable chain_both(const Variable& a, const Variable& b);        // a b, two gradients; 0 where either is 0

// dy times the product of `times`, divided by that of `over`; 0 where dy is 0. Every factor is divided by a power of
// two of its own size first, so nothing leaves the range of the type but the result. For the rare elements at which a
// formula's parts do leave it (lost_on_the_way in tensor/range.h): this takes several passes.
Variable chain_in_units(const Variable& dy, const std::vector<Variable>& times, const std::vector<Variable>& over);

// The same with x^q among the factors, which may leave the range itself: it is taken apart into two halves.
Variable chain_power_in_units(const Variable& dy, const Variable& x, const Variable& q, std::vector<Variable> times);

// The dy of a gradient formula in the table of tensor/functions.h. Formulas are linear in dy; these operators multiply
// and divide it by the rule above.
struct Gradient {
  Variable dy;
};
// clang-format off
inline Gradient operator*(const Gradient& g, const Variable& slope) { return {chain_times(g.dy, slope)}; }
inline Gradient operator*(const Variable& slope, const Gradient& g) { return {chain_times(g.dy, slope)}; }
inline Gradient operator*(const Gradient& g, double s) { return {chain_times(g.dy, s)}; }
inline Gradient operator*(double s, const Gradient& g) { return {chain_times(g.dy, s)}; }
inline Gradient operator/(const Gradient& g, const Variable& x) { return {chain_over(g.dy, x)}; }
inline Gradient operator/(const Gradient& g, double s) { return {chain_over(g.dy, s)}; }
// clang-format on
Gradient operator+(const Gradient& a, const Gradient& b);
Gradient operator-(const Gradient& a, const Gradient& b);
Gradient operator-(const Gradient& g);
Gradient where(const Tensor& mask, const Gradient& a, const Gradient& b);
Gradient where(const Tensor& mask, const Gradient& a, double b);
Gradient where(const Tensor& mask, double a, const Gradient& b);
Gradient nothing_of(const Gradient& g);  // zeros of dy's shape, even where dy is NaN or infinite

}  // namespace heed
