// More functions of one argument. As in ops_arithmetic.h: y, then the gradient; f32 and f64.
#pragma once

#include "autograd/variable.h"

namespace heed {

Variable sin(const Variable& x);         // sin x                dx = dy cos x                         saves x
Variable cos(const Variable& x);         // cos x                dx = -dy sin x                        saves x
Variable erf(const Variable& x);         // 2/sqrt(pi) int_0^x exp(-t^2) dt     dx = dy 2/sqrt(pi) exp(-x^2)     saves x
Variable expm1(const Variable& x);       // e^x - 1              dx = dy (y + 1)    exact near 0       saves y
Variable log1p(const Variable& x);       // ln(1 + x)            dx = dy / (1 + x)  exact near 0       saves x
Variable rsqrt(const Variable& x);       // 1 / sqrt x           dx = -dy y^3 / 2   infinite at 0      saves y
Variable reciprocal(const Variable& x);  // 1 / x                dx = -dy y^2       infinite at 0      saves y

// Steps: flat wherever they have a slope, so dx = 0, also at the jumps, whatever dy. For a gradient that pretends the
// step is not there, a custom operation (attach.h) that hands dy on.
Variable sign(const Variable& x);   // -1, 0 or 1
Variable floor(const Variable& x);  // the largest integer that is not above x
Variable round(const Variable& x);  // the nearest integer; a half goes to the even one

}  // namespace heed
