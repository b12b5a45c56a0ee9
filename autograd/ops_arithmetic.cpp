#include "autograd/ops_arithmetic.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/chain_rule.h"
#include "tensor/elementwise.h"
#include "tensor/range.h"
#include "tensor/row_places.h"

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
                  if (g.needs(0)) g.add(0, chain_times(dy, g[sb]));
                  if (g.needs(1)) g.add(1, chain_times(dy, g[sa]));
                });
}
Variable div(const Variable& a, const Variable& b) {
  Tensor y = div(a.value(), b.value());
  return attach("div", {broadcast(a), broadcast(b)}, y,
                [sb = save(b), sy = save_output(y)](Grads& g, const Variable& dy) {
                  Variable da = chain_over(dy, g[sb]);
                  g.add(0, da);
                  if (!g.needs(1)) return;
                  Variable db = chain_times(-da, g[sy]);  // -dy y / b; but dy / b may leave the range of the type
                  Tensor lost = lost_on_the_way(da.value(), dy.value());
                  g.add(1, lost.defined() ? where(lost, -chain_in_units(dy, {g[sy]}, {g[sb]}), db) : db);
                });
}

namespace {
// The part of dy for the first of the two arguments: all where it wins, half at a tie, else 0. Selected, not multiplied
// by 0, because dy may be infinite.
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
  return attach("mul", {a}, mul(a.value(), s), [s](Grads& g, const Variable& dy) { g.add(0, chain_times(dy, s)); });
}
Variable div(const Variable& a, double s) {
  return attach("div", {a}, div(a.value(), s), [s](Grads& g, const Variable& dy) { g.add(0, chain_over(dy, s)); });
}
Variable div(double s, const Variable& a) {
  return attach("div", {a}, div(s, a.value()), [s, sa = save(a)](Grads& g, const Variable& dy) {
    Variable x = g[sa], y = s / x, part = chain_times(dy, y), d = -chain_over(part, x);  // x^2 may overflow
    Tensor lost = lost_on_the_way({y.value(), x.value()}, {part.value(), dy.value()});
    if (lost.defined() && s != 0)
      d = where(lost, -chain_in_units(dy, {Variable(Tensor::scalar(s, x.dtype()))}, {x, x}), d);
    g.add(0, d);
  });
}
Variable pow(const Variable& a, const Variable& b) {
  Tensor y = pow(a.value(), b.value());
  return attach("pow", {broadcast(a), broadcast(b)}, y,
                [sa = save(a), sb = save(b), sy = save_output(y)](Grads& g, const Variable& dy) {
                  Variable p = g[sa], q = g[sb];
                  if (g.needs(0)) {  // a^0 is constant, also where dy is infinite
                    Tensor never = logical_and(equal(q.value(), 0), logical_not(isfinite(dy.value())));
                    Tensor down = less(q.value(), 0);  // p^q / p, since 1 / p fits where 1 / p^2 may not
                    Variable power = pow(p, where(down, q, q - 1));
                    Variable slope = chain_over(chain_times(q, power), masked_fill(p, logical_not(down), 1));
                    Variable da = chain_times(dy, slope);
                    Tensor lost = lost_on_the_way({power.value(), p.value()}, {slope.value(), p.value()});
                    if (lost.defined()) da = where(lost, chain_power_in_units(dy, p, q - 1, {q}), da);
                    g.add(0, masked_fill(da, never, 0));
                  }
                  if (g.needs(1)) {  // 0^b is constant for b > 0; so is, by convention, b = 0
                    Tensor zero = equal(p.value(), 0);
                    Tensor flat = logical_and(zero, greater_equal(q.value(), 0));
                    Variable db = chain_times(chain_times(dy, g[sy]), log(p));
                    if (Tensor lost = lost_on_the_way(g[sy].value(), p.value()); lost.defined())
                      db = where(lost, chain_power_in_units(dy, p, q, {log(p)}), db);
                    g.add(1, masked_fill(db, flat, 0));
                  }
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
Variable dropout_at(const Variable& x, double p, uint64_t seed, uint64_t offset, const RowPlaces& rows) {
  Tensor y = placed_dropout(x.value(), p, seed, offset, rows);
  return attach("dropout", {x}, y, [p, seed, offset, rows](Grads& g, const Variable& dy) {
    g.add(0, dropout_at(dy, p, seed, offset, rows));
  });
}
}  // namespace

Variable dropout(const Variable& x, double p, Generator& rng) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p must lie in [0, 1]; got {}", p));
  if (p == 0) return x;
  const RowPlaces rows = row_places();
  const auto blocks = static_cast<uint64_t>(dropout_blocks(rows.whole_count(x.shape())));
  return dropout_at(x, p, rng.seed(), rng.reserve(blocks), rows);
}

}  // namespace heed
