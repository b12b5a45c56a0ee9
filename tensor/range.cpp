#include "tensor/range.h"

#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed {

double least_sum(DType dtype, int64_t n) {
  double smallest = dtype == DType::f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return smallest * static_cast<double>(n);
}

Tensor largest_out_of_range(const Tensor& x, const Tensor& sum, const Dims& axes, double least) {
  return dispatch_float(x.dtype(), "largest_out_of_range", [&](auto zero) {
    using T = decltype(zero);
    auto lost = [low = static_cast<T>(least)](T s) { return !(std::isfinite(s) && s >= low); };
    const T* s = sum.data<T>();
    if (x.count() == 0 || std::none_of(s, s + sum.count(), lost)) return Tensor();
    Tensor most = amax(abs(x), axes, /*keep=*/true);
    T* m = most.data<T>();
    bool any = false;
    for (int64_t i = 0; i < most.count(); ++i) {
      bool rescued = lost(s[i]) && m[i] > 0 && std::isfinite(m[i]);
      if (!rescued) m[i] = 1;
      any = any || rescued;
    }
    return any ? most : Tensor();
  });
}

Tensor products_out_of_range(const Tensor& x, const Dims& axes) {
  if (!is_float(x.dtype()) || x.count() == 0) return {};
  Tensor size = abs(x);
  size = sum(abs(log(masked_fill(size, equal(size, 0), 1))), axes, /*keep=*/true);
  Tensor out = logical_and(greater(size, -std::log(least_sum(x.dtype(), 2))), isfinite(size));
  return std::count(out.data<bool>(), out.data<bool>() + out.count(), true) ? out : Tensor();
}

Tensor balanced_exponents(const Tensor& rows) {
  Tensor out = rows.to(DType::f64).clone();
  for (int64_t r = 0, n = rows.size(1); r < rows.size(0); ++r) {
    double run = 1;  // the product so far, in [1, 2)
    for (double *x = out.data<double>() + r * n, *end = x + n; x < end; ++x) {
      int exponent = *x == 0 ? 0 : std::ilogb(*x);
      run *= *x == 0 ? 1 : std::ldexp(std::abs(*x), -exponent);
      if (run >= 2) run /= 2, ++exponent;
      *x = exponent;
    }
  }
  return out;
}

Tensor product_in_units(const Tensor& rows) {
  Tensor x = rows.to(DType::f64).contiguous(), e = balanced_exponents(rows),
         y = Tensor::empty({rows.size(0)}, DType::f64);
  for (int64_t r = 0, n = rows.size(1); r < rows.size(0); ++r) {
    double run = 1, total = 0;
    for (int64_t i = r * n; i < (r + 1) * n; ++i) {
      run *= std::ldexp(x.data<double>()[i], -static_cast<int>(e.data<double>()[i]));
      total += e.data<double>()[i];
    }
    y.data<double>()[r] = std::ldexp(run, static_cast<int>(std::clamp(total, -1e4, 1e4)));
  }
  return y.to(rows.dtype());
}

Tensor unit_of(const Tensor& x) {
  if (!x.defined()) return x;
  Tensor u = x.clone();
  dispatch_float(x.dtype(), "unit_of", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < u.count(); ++i) u.data<T>()[i] = unit_of(u.data<T>()[i]);
  });
  return u;
}

Tensor units_of_rows(const Tensor& x, double least) {
  return unit_of(largest_out_of_range(x, sum(square(x), {-1}, /*keep=*/true), {-1}, least));
}

}  // namespace heed
