// Reductions, variance and norms. Axes may be negative; no axes means all of them. keep: reduced axes stay with size 1.
// Results never share x's memory, except those of expand. n is the number of elements that are reduced to one, m their
// mean. Means, variances and norms are right wherever they fit the type, even if a sum on the way to them does not
// (tensor/range.h).
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce.h"

namespace heed {

// y = sum over axes of x         dx = dy, repeated along the axes (a view)
Variable sum(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = sum / n                    dx = dy / n, repeated. ValueError for the mean of nothing.
Variable mean(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = max along an axis          dx = dy at the first largest element (not smooth where two are equal)
Variable max(const Variable& x, int64_t axis, bool keep = false);
// y = min along an axis          dx = dy at the first smallest element
Variable min(const Variable& x, int64_t axis, bool keep = false);
// y = max over axes              dx = dy shared equally by all elements that equal y (not smooth where there are two)
// IndexError for an empty axis. If any element is NaN, so are y and its gradient.   saves x, y
Variable amax(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = min over axes              dx as that of amax
Variable amin(const Variable& x, const Dims& axes = {}, bool keep = false);
inline Variable max(const Variable& x) { return amax(x); }  // of all elements
inline Variable min(const Variable& x) { return amin(x); }
// y = prod over axes             dx_i = dy prod_{j != i} x_j, without a division: right with any number of zeros.
// The first half times the second, in log2 n rounds: n - 1 products forward, twice that back; saves x and the halves.
// 1 for an empty axis. The result is right wherever it fits the type, even if a product on the way does not
// (ops_product.cpp).
Variable prod(const Variable& x, const Dims& axes = {}, bool keep = false);
// y = log sum over axes of e^x   dx = dy softmax(x)                                  saves x
// The maximum is subtracted first, so that nothing overflows. Over -inf only, y = -inf with gradient 0; where an
// element is +inf, y is too and the gradient NaN.
Variable logsumexp(const Variable& x, const Dims& axes = {}, bool keep = false);
// y_i = x_0 + ... + x_i along an axis        dx_i = dy_i + ... + dy_{n-1}: a cumsum from the other end
// .reverse: y_i = x_i + ... + x_{n-1}
Variable cumsum(const Variable& x, int64_t axis, const CumsumOptions& options = {});

// y_i = a_i y_{i-1} + x_i along an axis        dx_i = dy_i + a_{i+1} dx_{i+1}: a scan from the other end
// .reverse: y_i = a_{i+1} y_{i+1} + x_i         da_i = y_{i-1} dx_i                      saves a and y
// What a recurrence with a diagonal matrix computes from word to word; the factor of the first element is not used.
Variable linear_scan(const Variable& a, const Variable& x, int64_t axis, const CumsumOptions& options = {});

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

// Sum over the axes along which `shape` was repeated to x's: the gradient of expand.   dx = dy expanded
Variable sum_to(const Variable& x, const Shape& shape);
// Repeat axes of size 1 (a view).                                                       dx = dy summed
Variable expand(const Variable& x, const Shape& shape);

}  // namespace heed
