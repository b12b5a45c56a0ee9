// Arithmetic of two arguments, and choosing by masks. Shapes broadcast by NumPy's rule; both sides have one dtype. The
// functions of one argument are those of tensor/functions.h: each takes Variables too.
//
// Each declaration gives y, then the gradient. dy, of y's shape, is the gradient of the loss with respect to y. One to
// ten FLOPs per element. Integers (i64) can be added, subtracted and multiplied, but have no gradient.
#pragma once

#include "autograd/elementwise.h"
#include "autograd/variable.h"

namespace heed {

Variable add(const Variable& a, const Variable& b);  // a + b         da = dy            db = dy
Variable sub(const Variable& a, const Variable& b);  // a - b         da = dy            db = -dy
Variable mul(const Variable& a, const Variable& b);  // a b           da = dy b          db = dy a         saves a, b
Variable div(const Variable& a, const Variable& b);  // a / b         da = dy / b        db = -dy y / b    saves b, y
Variable maximum(const Variable& a, const Variable& b);  // max(a, b)     dy to the larger; if equal, half to each
Variable minimum(const Variable& a, const Variable& b);  // min(a, b)     dy to the smaller; if equal, half to each
// a^b         da = dy b a^(b-1)   db = dy y ln a      saves a, b, y
// NaN for a < 0 unless b is an integer, and then db is NaN too. 0^0 = 1 with both gradients 0; at a = 0 < b, db = 0.
Variable pow(const Variable& a, const Variable& b);

// A scalar takes a's dtype; ValueError where an i64 cannot hold it.
Variable add(const Variable& a, double s);  // a + s         da = dy
Variable sub(const Variable& a, double s);  // a - s         da = dy
Variable sub(double s, const Variable& a);  // s - a         da = -dy
Variable mul(const Variable& a, double s);  // a s           da = dy s
Variable div(const Variable& a, double s);  // a / s         da = dy / s
Variable div(double s, const Variable& a);  // s / a         da = -dy (s / a) / a     saves a

// The mask is a bool Tensor and broadcasts too.
Variable where(const Tensor& mask, const Variable& a, const Variable& b);   // mask ? a : b        da = mask ? dy : 0
Variable masked_fill(const Variable& x, const Tensor& mask, double value);  // mask ? value : x    dx = mask ? 0 : dy
// Inverted dropout (Srivastava et al., JMLR 2014): y = x m / (1 - p), m ~ Bernoulli(1 - p), so that E[y] = x.
// Saves 16 bytes (seed and offset), not the mask. p in [0, 1]; p = 0 is the identity.
Variable dropout(const Variable& x, double p, Generator& rng);  // dx = dy m / (1 - p)

inline Variable operator+(const Variable& a, const Variable& b) { return add(a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return sub(a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return mul(a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return div(a, b); }
inline Variable operator-(const Variable& x) { return neg(x); }
inline Variable operator+(const Variable& a, double s) { return add(a, s); }
inline Variable operator+(double s, const Variable& a) { return add(a, s); }
inline Variable operator-(const Variable& a, double s) { return sub(a, s); }
inline Variable operator-(double s, const Variable& a) { return sub(s, a); }
inline Variable operator*(const Variable& a, double s) { return mul(a, s); }
inline Variable operator*(double s, const Variable& a) { return mul(a, s); }
inline Variable operator/(const Variable& a, double s) { return div(a, s); }
inline Variable operator/(double s, const Variable& a) { return div(s, a); }

}  // namespace heed
