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
// 1 where a wins, 0 where b wins, 1/2 where they are equal.
Tensor share_of_first(const Tensor& first_wins, const Tensor& tie, DType dtype) {
  return add(cast(first_wins, dtype), mul(cast(tie, dtype), 0.5));
}
template <bool kMax>
Variable extreme(const char* name, const Variable& a, const Variable& b) {
  Tensor y = kMax ? maximum(a.value(), b.value()) : minimum(a.value(), b.value());
  return attach(name, {broadcast(a), broadcast(b)}, y, [sa = save(a), sb = save(b)](Grads& g, const Variable& dy) {
    Tensor p = g[sa].value(), q = g[sb].value();
    Variable share = share_of_first(kMax ? greater(p, q) : less(p, q), equal(p, q), p.dtype());
    if (g.needs(0)) g.add(0, dy * share);
    if (g.needs(1)) g.add(1, dy * (1 - share));
  });
}
}  // namespace

Variable maximum(const Variable& a, const Variable& b) { return extreme<true>("maximum", a, b); }
Variable minimum(const Variable& a, const Variable& b) { return extreme<false>("minimum", a, b); }

Variable add(const Variable& a, double s) {
  return attach("add", {a}, add(a.value(), s), [](Grads& g, const Variable& dy) { g.add(0, dy); });
}
Variable mul(const Variable& a, double s) {
  return attach("mul", {a}, mul(a.value(), s), [s](Grads& g, const Variable& dy) { g.add(0, dy * s); });
}
Variable pow(const Variable& a, double p) {
  return attach("pow", {a}, pow(a.value(), p), [p, sa = save(a)](Grads& g, const Variable& dy) {
    if (p == 0) return g.add(0, dy * 0.0);
    g.add(0, dy * p * pow(g[sa], p - 1));
  });
}
Variable pow(const Variable& a, const Variable& b) {
  Tensor y = pow(a.value(), b.value());
  return attach("pow", {broadcast(a), broadcast(b)}, y,
                [sa = save(a), sb = save(b), sy = save_output(y)](Grads& g, const Variable& dy) {
                  Variable p = g[sa], q = g[sb];
                  Tensor zero = equal(p.value(), 0);
                  if (g.needs(0)) {  // 0 times infinity at 0^0
                    Tensor flat = logical_and(zero, equal(q.value(), 0));
                    g.add(0, dy * q * pow(masked_fill(p, flat, 1), q - 1));
                  }
                  if (g.needs(1)) {  // 0 times ln 0
                    Tensor flat = logical_and(zero, greater_equal(q.value(), 0));
                    g.add(1, dy * g[sy] * log(masked_fill(p, flat, 1)));
                  }
                });
}

Variable neg(const Variable& x) {
  return attach("neg", {x}, neg(x.value()), [](Grads& g, const Variable& dy) { g.add(0, -dy); });
}
Variable abs(const Variable& x) {
  return attach("abs", {x}, abs(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy * Variable(sign(g[sx].value()))); });
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
  return attach("relu_backward", {dy}, leaky_relu_backward(x.value(), dy.value(), 0),
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
    Tensor inside =
        logical_and(less_equal(Tensor::scalar(low, v.dtype()), v), less_equal(v, Tensor::scalar(high, v.dtype())));
    g.add(0, dy * Variable(cast(inside, dy.dtype())));
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
