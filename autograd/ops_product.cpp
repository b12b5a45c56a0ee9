// prod: the product of many numbers, y = x_0 x_1 .. x_(n-1).
//
// It is computed by halves, with n - 1 multiplications. A product on the way may leave the range of the type, though
// the result does not: 1e30 1e30 1e-30 1e-30 = 1. In rows where that can happen, each x_i is divided by a power of two:
//
//   m_i = x_i / u_i,  u_i = 2^(e_i) such that the product of any run of m lies between 1/2 and 2      E = sum_i e_i
//   y = 2^E prod m                 dx_i = dy 2^(E - e_i) m_0 .. m_(i-1)  m_(i+1) .. m_(n-1)
//
// The power of two is multiplied last. The products before and after each m_i take log2 n rounds; the round d = 1, 2,
// 4, .. multiplies each by the one d places away: prefix sums by doubling (Hillis and Steele, CACM 1986).
#include <cmath>

#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "tensor/compare.h"
#include "tensor/range.h"

namespace heed {
namespace {

// Along an axis that is not empty: the first half times the second, and so on. An odd last element waits for the next
// round.
Variable product_along(Variable y, int axis) {
  for (int64_t n = y.size(axis); n > 1; n = y.size(axis)) {
    std::vector<int64_t> sizes(n % 2 ? 3 : 2, n / 2);
    if (n % 2) sizes[2] = 1;
    std::vector<Variable> parts = split(y, sizes, axis);
    y = parts[0] * parts[1];
    if (n % 2) y = concat({y, parts[2]}, axis);
  }
  return y;
}

Variable by_halves(const Variable& x, const Dims& axes, bool keep) {
  Shape kept = reduced_shape("prod", x.shape(), axes);
  Variable y = kept == x.shape() ? x * 1.0 : x;  // never x itself
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (kept[axis] == x.shape()[axis]) continue;
    y = y.size(axis) ? product_along(y, axis) : sum(y, {axis}, /*keep=*/true) + 1;  // an empty product is 1
  }
  return reshape(y, reduced_shape("prod", x.shape(), axes, keep));
}

// x 2^k for whole k (f64), as three factors, since 2^k itself may leave the range of the type.
Variable times_power_of_two(Variable x, const Tensor& k) {
  const double most = x.dtype() == DType::f32 ? 126 : 1022;
  Tensor left = k.clone();
  for (int step = 0; step < 3; ++step) {
    Tensor now = clamp(left, -most, most), power = now.clone();
    for (int64_t i = 0; i < now.count(); ++i) power.data<double>()[i] = std::exp2(now.data<double>()[i]);
    x = x * Variable(power.to(x.dtype()));
    left = sub(left, now);
  }
  return x;
}

// For each element of a row, the product of all elements before it, or of all after it. m [R, n] -> [R, n]
Variable beside(const Variable& m, bool before) {
  const int64_t n = m.size(1);
  auto moved = [&](const Variable& v, int64_t d) {
    Variable wide = before ? pad(v, {{.axis = 1, .before = d}}, 1) : pad(v, {{.axis = 1, .after = d}}, 1);
    return slice(wide, 1, before ? 0 : d, before ? n : n + d);
  };
  Variable y = moved(m, 1);
  for (int64_t d = 1; d < n; d *= 2) y = y * moved(y, d);
  return y;
}

// The products of rows [R, n] -> [R], computed as m and powers of two.
Variable in_units(const Variable& rows) {
  return attach("prod", {rows}, product_in_units(rows.value()), [sx = save(rows)](Grads& g, const Variable& dy) {
    Tensor e = balanced_exponents(g[sx].value());
    Variable m = times_power_of_two(g[sx], neg(e)), others = beside(m, /*before=*/true) * beside(m, /*before=*/false);
    g.add(0, times_power_of_two(unsqueeze(dy, 1) * others, sub(sum(e, {1}, /*keep=*/true), e)));
  });
}

}  // namespace

Variable prod(const Variable& x, const Dims& axes, bool keep) {
  dispatch_number(x.dtype(), "prod", [](auto) {});
  Shape kept = reduced_shape("prod", x.shape(), axes);
  Tensor out = products_out_of_range(x.value(), axes);
  if (!out.defined()) return by_halves(x, axes, keep);
  Dims order;  // the axes that stay, then those that are reduced
  for (bool reduced : {false, true})
    for (int i = 0; i < x.rank(); ++i)
      if ((kept[i] != x.shape()[i]) == reduced) order.push_back(i);
  int64_t results = element_count(kept);
  Variable rows = reshape(permute(masked_fill(x, logical_not(out), 1), order), {results, x.count() / results});
  Variable y = where(out, reshape(in_units(rows), kept), by_halves(masked_fill(x, out, 1), axes, /*keep=*/true));
  return reshape(y, reduced_shape("prod", x.shape(), axes, keep));
}

}  // namespace heed
