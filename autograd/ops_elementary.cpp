#include "autograd/ops_elementary.h"

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "tensor/elementwise.h"

namespace heed {

Variable sin(const Variable& x) {
  return attach("sin", {x}, sin(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy * cos(g[sx])); });
}
Variable cos(const Variable& x) {
  return attach("cos", {x}, cos(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, -(dy * sin(g[sx]))); });
}
Variable erf(const Variable& x) {
  constexpr double two_over_sqrt_pi = 1.12837916709551257390;
  return attach("erf", {x}, erf(x.value()), [sx = save(x)](Grads& g, const Variable& dy) {
    g.add(0, dy * exp(-square(g[sx])) * two_over_sqrt_pi);
  });
}
Variable expm1(const Variable& x) {
  Tensor y = expm1(x.value());
  return attach("expm1", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) { g.add(0, dy * (g[sy] + 1)); });
}
Variable log1p(const Variable& x) {
  return attach("log1p", {x}, log1p(x.value()),
                [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy / (g[sx] + 1)); });
}
Variable rsqrt(const Variable& x) {
  Tensor y = rsqrt(x.value());
  return attach("rsqrt", {x}, y, [sy = save_output(y)](Grads& g, const Variable& dy) {
    Variable r = g[sy];
    g.add(0, dy * (square(r) * r) * -0.5);
  });
}
Variable reciprocal(const Variable& x) {
  Tensor y = reciprocal(x.value());
  return attach("reciprocal", {x}, y,
                [sy = save_output(y)](Grads& g, const Variable& dy) { g.add(0, -(dy * square(g[sy]))); });
}

namespace {
Variable step(const char* name, const Variable& x, const Tensor& y) {
  return attach(name, {x}, y, [](Grads& g, const Variable& dy) {
    g.add(0, masked_fill(dy, Tensor::from_bools({1}, {}), 0));  // not dy times 0, which is NaN for an infinite dy
  });
}
}  // namespace

Variable sign(const Variable& x) { return step("sign", x, sign(x.value())); }
Variable floor(const Variable& x) { return step("floor", x, floor(x.value())); }
Variable round(const Variable& x) { return step("round", x, round(x.value())); }

}  // namespace heed
