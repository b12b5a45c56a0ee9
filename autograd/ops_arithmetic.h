// Arithmetic and elementwise functions. Shapes broadcast by NumPy's rule; both sides have one dtype (f32 or f64).
//
// Written on each: y, then the gradient. dy is the gradient that arrives, of y's shape. FLOPs are one to ten an
// element.
#pragma once

#include "autograd/variable.h"

namespace heed {

Variable add(const Variable& a, const Variable& b);  // a + b             da = dy            db = dy
Variable sub(const Variable& a, const Variable& b);  // a - b             da = dy            db = -dy
Variable mul(const Variable& a,
             const Variable& b);  // a b               da = dy b          db = dy a         saves a, b
Variable div(const Variable& a,
             const Variable& b);  // a / b             da = dy / b        db = -dy y / b    saves b, y
Variable maximum(const Variable& a, const Variable& b);  // max(a, b)         to the larger; a tie gives each one half
Variable minimum(const Variable& a, const Variable& b);  // min(a, b)         to the smaller; a tie gives each one half
Variable add(const Variable& a, double s);               // a + s             da = dy
Variable sub(const Variable& a, double s);               // a - s             da = dy
Variable sub(double s, const Variable& a);               // s - a             da = -dy
Variable mul(const Variable& a, double s);               // a s               da = dy s
Variable div(const Variable& a, double s);               // a / s             da = dy / s
Variable div(double s, const Variable& a);               // s / a             da = -dy (s / a) / a    saves a
Variable pow(const Variable& a, double exponent);  // a^p               da = dy p a^(p-1)                    saves a
// a^b         da = dy b a^(b-1)   db = dy y ln a      saves a, b, y
// NaN for a < 0 unless b is an integer, and then db is NaN too. 0^0 = 1 with both gradients 0; at a = 0 < b, db = 0.
Variable pow(const Variable& a, const Variable& b);

Variable neg(const Variable& x);      // -x                dx = -dy
Variable abs(const Variable& x);      // |x|               dx = dy sign x        (0 at 0, where it is not smooth)
Variable square(const Variable& x);   // x^2               dx = 2 x dy
Variable exp(const Variable& x);      // e^x               dx = y dy             saves y
Variable log(const Variable& x);      // ln x              dx = dy / x           -inf at 0, NaN below
Variable sqrt(const Variable& x);     // sqrt x            dx = dy / (2 y)       infinite at 0
Variable tanh(const Variable& x);     // tanh x            dx = (1 - y^2) dy     saves y
Variable sigmoid(const Variable& x);  // 1 / (1 + e^-x)    dx = y (1 - y) dy     saves y
Variable relu(const Variable& x);     // max(x, 0)         dx = dy where x > 0   (0 at 0, where it is not smooth)
Variable clamp(const Variable& x, double low, double high);  // dx = dy where low <= x <= high

// mask ? a : b. The mask is a bool Tensor and broadcasts too.
Variable where(const Tensor& mask, const Variable& a, const Variable& b);   // da = mask ? dy : 0   db = mask ? 0 : dy
Variable masked_fill(const Variable& x, const Tensor& mask, double value);  // mask ? value : x     dx = mask ? 0 : dy
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
