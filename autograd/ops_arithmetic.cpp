#include "autograd/ops_arithmetic.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/activation.h"

namespace heed {

Variable add(const Variable& a, const Variable& b) {
  return attach("add", {broadcast(a), broadcast(b)}, add(a.value(), b.value()), [](Grads& g, const Variable& dy) {
    g.add(0, dy);
    g.add(1, dy);
  });
}
Variable sub(const Variable& a, const Variable& b) {
  return attach("sub", {broadcast(a), broadcast(b)}, sub(a.value(), b.value()), [](Grads& g, const Variable& dy) {
    g.add(0, dy);
    if (g.needs(1)) g.add(1, -dy);
  });
}
Variable mul(const Variable& a, const Variable& b) {
  return attach("mul", {broadcast(a), broadcast(b)}, mul(a.value(), b.value()),
                [sa = save(a), sb = save(b)](Grads& g, const Variable& dy) {
                  if (g.needs(0)) g.add(0, dy * g[sb]);
                  if (g.needs(1)) g.add(1, dy * g[sa]);
                });
}
Variable div(const Variable& a, const Variable& b) {
  Tensor y = div(a.value(), b.value());
  return attach("div", {broadcast(a), broadcast(b)}, y,
                [sb = save(b), sy = save_output(y)](Grads& g, const Variable& dy) {
                  Variable da = dy / g[sb];
                  g.add(0, da);
                  if (g.needs(1)) g.add(1, -da * g[sy]);
                });
}

namespace {
// What of dy goes to the first of the two: all where it wins, half at a tie, else nothing. Chosen, not multiplied by 0:
// dy may be infinite.
Variable share(const Variable& dy, const Tensor& wins, const Tensor& loses) {
  Variable half = where(logical_or(wins, loses), dy, dy * 0.5);
  return masked_fill(half, loses, 0);
}
template <bool kMax>
Variable extreme(const char* name, const Variable& a, const Variable& b) {
  Tensor y = kMax ? maximum(a.value(), b.value()) : minimum(a.value(), b.value());
  return attach(name, {broadcast(a), broadcast(b)}, y, [sa = save(a), sb = save(b)](Grads& g, const Variable& dy) {
    Tensor p = g[sa].value(), q = g[sb].value();
    Tensor first = kMax ? greater(p, q) : less(p, q), second = kMax ? less(p, q) : greater(p, q);
    if (g.needs(0)) g.add(0, share(dy, first, second));
    if (g.needs(1)) g.add(1, share(dy, second, first));
  });
}
Variable no_gradient(const Variable& dy) { return masked_fill(dy, Tensor::from_bools({1}, {}), 0); }
}  // namespace

Variable maximum(const Variable& a, const Variable& b) { return extreme<true>("maximum", a, b); }
Variable minimum(const Variable& a, const Variable& b) { return extreme<false>("minimum", a, b); }

Variable add(const Variable& a, double s) {
  return attach("add", {a}, add(a.value(), s), [](Grads& g, const Variable& dy) { g.add(0, dy); });
}
Variable sub(const Variable& a, double s) {
  return attach("sub", {a}, sub(a.value(), s), [](Grads& g, const Variable& dy) { g.add(0, dy); });
}
Variable sub(double s, const Variable& a) {
  return attach("sub", {a}, sub(s, a.value()), [](Grads& g, const Variable& dy) { g.add(0, -dy); });
}
Variable mul(const Variable& a, double s) {
  return attach("mul", {a}, mul(a.value(), s), [s](Grads& g, const Variable& dy) { g.add(0, dy * s); });
}
Variable div(const Variable& a, double s) {
  return attach("div", {a}, div(a.value(), s), [s](Grads& g, const Variable& dy) { g.add(0, dy / s); });
}
Variable div(double s, const Variable& a) {
  return attach("div", {a}, div(s, a.value()), [s, sa = save(a)](Grads& g, const Variable& dy) {
    Variable x = g[sa];
    g.add(0, -(dy * ((s / x) / x)));  // x^2 might overflow
  });
}
Variable pow(const Variable& a, double p) {
  return attach("pow", {a}, pow(a.value(), p), [p, sa = save(a)](Grads& g, const Variable& dy) {
    if (p == 0) return g.add(0, no_gradient(dy));
    g.add(0, dy * p * pow(g[sa], p - 1));
  });
}
Variable pow(const Variable& a, const Variable& b) {
  Tensor y = pow(a.value(), b.value());
  return attach("pow", {broadcast(a), broadcast(b)}, y,
                [sa = save(a), sb = save(b), sy = save_output(y)](Grads& g, const Variable& dy) {
                  Variable p = g[sa], q = g[sb];
                  Tensor zero = equal(p.value(), 0);
                  if (g.needs(0)) {  // a^0 is flat: 0 times infinity at a = 0, or where dy is infinite
                    Tensor flat = equal(q.value(), 0), never = logical_and(flat, logical_not(isfinite(dy.value())));
                    g.add(0, masked_fill(dy * q * pow(masked_fill(p, logical_and(zero, flat), 1), q - 1), never, 0));
                  }
                  if (g.needs(1)) {  // 0 times ln 0
                    Tensor flat = logical_and(zero, greater_equal(q.value(), 0));
                    g.add(1, masked_fill(dy * g[sy] * log(masked_fill(p, flat, 1)), flat, 0));
                  }
                });
}

Variable neg(const Variable& x) {
  return attach("neg", {x}, neg(x.value()), [](Grads& g, const Variable& dy) { g.add(0, -dy); });
}
Variable abs(const Variable& x) {
  return attach("abs", {x}, abs(x.value()), [sx = save(x)](Grads& g, const Variable& dy) {
    Tensor v = g[sx].value();
    g.add(0, masked_fill(dy * Variable(sign(v)), equal(v, 0), 0));
  });
}
Variable square(const Variable& x) {
  return attach("square", {x}, square(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy * g[sx] * 2); });
}
Variable exp(const Variable& x) {
  Tensor y = exp(x.value());
  return attach("exp", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) { g.add(0, dy * g[sy]); });
}
Variable log(const Variable& x) {
  return attach("log", {x}, log(x.value()), [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy / g[sx]); });
}
Variable sqrt(const Variable& x) {
  Tensor y = sqrt(x.value());
  return attach("sqrt", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) { g.add(0, dy * 0.5 / g[sy]); });
}
Variable tanh(const Variable& x) {
  Tensor y = tanh(x.value());
  return attach("tanh", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) {
    if (!g.recording()) return g.add(0, tanh_backward(g[sy].value(), dy.value()));  // in one pass
    g.add(0, dy * (1 - square(g[sy])));
  });
}
Variable sigmoid(const Variable& x) {
  Tensor y = sigmoid(x.value());
  return attach("sigmoid", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) {
    Variable s = g[sy];
    if (!g.recording()) return g.add(0, sigmoid_backward(s.value(), dy.value()));
    g.add(0, dy * s * (1 - s));
  });
}
namespace {
Variable where_positive(const Variable& dy, const Variable& x) {  // linear in dy, and so its own gradient
  return attach("relu_backward", {dy}, relu_backward(x.value(), dy.value()),
                [sx = save(x.detach())](Grads& g, const Variable& dz) { g.add(0, where_positive(dz, g[sx])); });
}
}  // namespace
Variable relu(const Variable& x) {
  return attach("relu", {x}, relu(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, where_positive(dy, g[sx])); });
}
Variable clamp(const Variable& x, double low, double high) {
  return attach("clamp", {x}, clamp(x.value(), low, high), [low, high, sx = save(x)](Grads& g, const Variable& dy) {
    Tensor v = g[sx].value();
    g.add(0, masked_fill(dy, logical_not(logical_and(greater_equal(v, low), less_equal(v, high))), 0));
  });
}

Variable where(const Tensor& mask, const Variable& a, const Variable& b) {
  return attach("where", {broadcast(a), broadcast(b)}, where(mask, a.value(), b.value()),
                [sm = save(mask)](Grads& g, const Variable& dy) {
                  Variable zero(Tensor::scalar(0, dy.dtype()));
                  if (g.needs(0)) g.add(0, where(g[sm].value(), dy, zero));
                  if (g.needs(1)) g.add(1, where(g[sm].value(), zero, dy));
                });
}
Variable masked_fill(const Variable& x, const Tensor& mask, double value) {
  return attach("masked_fill", {broadcast(x)}, masked_fill(x.value(), mask, value),
                [sm = save(mask)](Grads& g, const Variable& dy) { g.add(0, masked_fill(dy, g[sm].value(), 0)); });
}

namespace {
Variable dropout_at(const Variable& x, double p, uint64_t seed, uint64_t offset) {
  Tensor y = dropout(x.value(), p, seed, offset);
  return attach("dropout", {x}, y,
                [p, seed, offset](Grads& g, const Variable& dy) { g.add(0, dropout_at(dy, p, seed, offset)); });
}
}  // namespace

Variable dropout(const Variable& x, double p, Generator& rng) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p must lie in [0, 1]; got {}", p));
  if (p == 0) return x;
  return dropout_at(x, p, rng.seed(), rng.reserve(static_cast<uint64_t>(dropout_blocks(x.count()))));
}

}  // namespace heed
