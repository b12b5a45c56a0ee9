#include "autograd/chain_rule.h"

#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/range.h"

namespace heed {

Variable chain_times(const Variable& dy, const Variable& slope) {
  return attach("mul", {broadcast(dy), broadcast(slope)}, chain_times(dy.value(), slope.value()),
                [sd = save(dy), ss = save(slope)](Grads& g, const Variable& dz) {
                  if (g.needs(0)) g.add(0, chain_times(dz, g[ss]));
                  if (g.needs(1)) g.add(1, chain_both(dz, g[sd]));
                });
}
Variable chain_over(const Variable& dy, const Variable& x) {
  Tensor z = chain_over(dy.value(), x.value());
  return attach(
      "div", {broadcast(dy), broadcast(x)}, z, [sx = save(x), sz = save_output(z)](Grads& g, const Variable& dz) {
        Variable d = chain_over(dz, g[sx]);
        g.add(0, d);
        if (!g.needs(1)) return;
        Variable x_ = g[sx], q = g[sz], product = chain_both(-d, q);
        if (Tensor lost = lost_on_the_way(d.value(), dz.value()); lost.defined())
          product = where(logical_and(lost, not_equal(q.value(), 0)), -chain_in_units(dz, {q}, {x_}), product);
        g.add(1, product);
      });
}
Variable chain_both(const Variable& a, const Variable& b) {
  return attach("mul", {broadcast(a), broadcast(b)}, chain_both(a.value(), b.value()),
                [sa = save(a), sb = save(b)](Grads& g, const Variable& dz) {
                  if (g.needs(0)) g.add(0, chain_both(dz, g[sb]));
                  if (g.needs(1)) g.add(1, chain_both(dz, g[sa]));
                });
}

// A scalar is checked once, before the product: a slope needs the rule only if it is not finite, an x only if it is 0
// or NaN. Both are checked as f32, the narrower type.
Variable chain_times(const Variable& dy, double slope) {
  if (std::isfinite(static_cast<float>(slope))) return dy * slope;
  return chain_times(dy, Variable(Tensor::scalar(slope, dy.dtype())));
}
Variable chain_over(const Variable& dy, double x) {
  if (static_cast<float>(x) != 0 && !std::isnan(x)) return dy / x;
  return chain_over(dy, Variable(Tensor::scalar(x, dy.dtype())));
}

Variable chain_in_units(const Variable& dy, const std::vector<Variable>& times, const std::vector<Variable>& over) {
  Tensor exponent = exponents_of(dy.value());
  Variable product = chain_over(dy, Variable(powers_of_two(exponent)));
  for (const Variable& factor : times) {
    Tensor e = exponents_of(factor.value());
    product = chain_times(product, factor / Variable(powers_of_two(e)));
    exponent = add(exponent, e);
  }
  for (const Variable& factor : over) {
    Tensor e = exponents_of(factor.value());
    product = chain_over(product, factor / Variable(powers_of_two(e)));
    exponent = sub(exponent, e);
  }
  Tensor half = floor(mul(exponent, 0.5));  // 2^exponent may not fit, though the product does
  product = chain_times(product, Variable(powers_of_two(half)));
  return chain_times(product, Variable(powers_of_two(sub(exponent, half))));
}
Variable chain_power_in_units(const Variable& dy, const Variable& x, const Variable& q, std::vector<Variable> times) {
  Variable half = pow(abs(x), q * 0.5), signs(pow(sign(x.value()), q.value()));
  times.insert(times.end(), {half, half, signs});
  return chain_in_units(dy, times, {});
}

Gradient operator+(const Gradient& a, const Gradient& b) { return {a.dy + b.dy}; }
Gradient operator-(const Gradient& a, const Gradient& b) { return {a.dy - b.dy}; }
Gradient operator-(const Gradient& g) { return {-g.dy}; }
Gradient where(const Tensor& mask, const Gradient& a, const Gradient& b) { return {where(mask, a.dy, b.dy)}; }
Gradient where(const Tensor& mask, double a, const Gradient& b) { return {masked_fill(b.dy, mask, a)}; }
Gradient where(const Tensor& mask, const Gradient& a, double b) { return {masked_fill(a.dy, logical_not(mask), b)}; }
Gradient nothing_of(const Gradient& g) { return {masked_fill(g.dy, Tensor::from_bools({1}, {}), 0)}; }

}  // namespace heed
