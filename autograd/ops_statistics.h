// Spread and length: var, stddev, norm. Axes may be negative; no axes means all of them. m is the mean over the axes, n
// the number of elements under it.
#pragma once

#include "autograd/variable.h"

namespace heed {

struct VarOptions {
  bool unbiased = true;  // divide by n - 1 (Bessel), not by n
  bool keep = false;     // reduced axes stay with size 1
};

// y = sum over axes of (x - m)^2 / (n - 1)        dx = dy 2 (x - m) / (n - 1)             saves x
// ValueError when n - 1 (or n, if biased) is 0. In two passes, so that a large mean costs no digits.
Variable var(const Variable& x, const Dims& axes = {}, const VarOptions& options = {});
// y = sqrt(var)                                   dx = dy (x - m) / ((n - 1) y)           saves x, y
// Not smooth where all elements are equal: there y = 0, and the gradient is 0.
Variable stddev(const Variable& x, const Dims& axes = {}, const VarOptions& options = {});

// y = (sum over axes of |x|^p)^(1/p), 1 <= p      dx = dy sign(x) (|x| / y)^(p - 1)       saves x, y
// p = infinity: y = max |x|, shared as by amax. Not smooth at y = 0, where the gradient is 0; for p = 1 at x_i = 0,
// where element i receives 0; for p = infinity where two are largest.
Variable norm(const Variable& x, double p = 2, const Dims& axes = {}, bool keep = false);

}  // namespace heed
