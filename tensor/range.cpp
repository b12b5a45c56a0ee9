#include "tensor/range.h"

#include <atomic>
#include <bit>

#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/machine.h"
#include "tensor/reduce.h"

namespace heed {

double least_sum(DType dtype, int64_t n) {
  double smallest = dtype == DType::f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return smallest * static_cast<double>(n);
}

Tensor largest_out_of_range(const Tensor& x, const Tensor& sum, const Dims& axes, double least) {
  return dispatch_float(x.dtype(), "largest_out_of_range", [&](auto zero) {
    using T = decltype(zero);
    constexpr T largest = std::numeric_limits<T>::max();
    auto lost = [low = static_cast<T>(std::max<double>(least, -largest))](T s) { return !(s >= low && s <= largest); };
    const T* s = sum.data<T>();
    int some = 0;
    for (int64_t i = 0; i < sum.count(); ++i) some |= lost(s[i]);
    if (!some || x.count() == 0) return Tensor();
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

Tensor lost_on_the_way(const Tensor& z, const Tensor& from) {
  return dispatch_float(z.dtype(), "lost_on_the_way", [&](auto zero) {
    using T = decltype(zero);
    constexpr T least = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
    Tensor dense = z.contiguous();
    std::atomic<bool> some = false;
    constexpr int64_t L = kLanes<T>;
    vectorised_for(
        0, (z.count() + L - 1) / L, 32768 / L, [&, p = dense.data<T>(), n = z.count()]<int R>(int64_t b, int64_t e) {
          Lanes<MaskElement<T>, R> lost = {};
          for (int64_t i = b * L; i < e * L; i += L) {
            Lanes<T, R> size =
                abs(i + L <= n ? load<R>(p + i) : where(lane_numbers<T, R>() < n - i, load_first<R>(p + i, n - i), 1));
            lost = lost | (size < least) | (size > largest) | (size != size);
          }
          if (fold_lanes(lost, [](auto a, auto c) { return a | c; })) some = true;
        });
    if (!some) return Tensor();
    Tensor size = abs(dense), kept = logical_and(greater_equal(size, least), less_equal(size, largest));
    Tensor lost = logical_and(logical_not(kept), not_equal(from, 0));
    return std::count(lost.data<bool>(), lost.data<bool>() + lost.count(), true) ? lost : Tensor();
  });
}

Tensor lost_on_the_way(const OnTheWay& first, const OnTheWay& second) {
  Tensor a = lost_on_the_way(first.z, first.from), b = lost_on_the_way(second.z, second.from);
  return a.defined() && b.defined() ? logical_or(a, b) : a.defined() ? a : b;
}

Tensor exponents_of(const Tensor& x) {
  Tensor e = x.clone();
  dispatch_float(e.dtype(), "exponents_of", [&](auto zero) {
    using T = decltype(zero);
    for (T *v = e.data<T>(), *end = v + e.count(); v < end; ++v)
      *v = *v != 0 && std::isfinite(*v) ? static_cast<T>(std::ilogb(*v)) : 0;
  });
  return e;
}
Tensor powers_of_two(const Tensor& exponents) {
  Tensor y = exponents.clone();
  dispatch_float(y.dtype(), "powers_of_two", [&](auto zero) {
    using T = decltype(zero);
    for (T *v = y.data<T>(), *end = v + y.count(); v < end; ++v) *v = std::ldexp(T{1}, static_cast<int>(*v));
  });
  return y;
}

namespace {
// An upper bound of |log2 |x||, from the bits of x (127 or 1023 for denormal numbers, which is enough here). Read as a
// whole number, scaled and shifted, the bits are log2 |x| at powers of 2 and a straight line in between, which is too
// small by up to 0.0861. 0 for 0, infinite for NaN and infinities.
template <class T>
T log_size(T line) {
  return std::min(static_cast<T>(1.45) * std::abs(line), std::abs(line) + static_cast<T>(0.0861));
}
float log_size_of(float x) {
  int32_t bits = std::bit_cast<int32_t>(x) & 0x7fffffff;
  float size = log_size(static_cast<float>(bits - 0x3f800000) / 0x800000);
  return bits == 0 ? 0 : bits >= 0x7f800000 ? INFINITY : size;
}
double log_size_of(double x) {
  auto bits = static_cast<int32_t>(std::bit_cast<int64_t>(x) >> 32 & 0x7fffffff);  // the rest is less than 1e-6
  double size = log_size(static_cast<double>(bits - 0x3ff00000) / 0x100000);
  return x == 0 ? 0 : bits >= 0x7ff00000 ? INFINITY : size;
}
}  // namespace

Tensor products_out_of_range(const Tensor& x_, const Dims& axes) {
  if (!is_float(x_.dtype()) || x_.count() == 0) return {};
  Tensor x = x_.contiguous(), size = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "products_out_of_range", [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    T* to = size.data<T>();
    for (int64_t i = 0; i < x.count(); ++i) to[i] = log_size_of(from[i]);
  });
  size = sum(size, axes, /*keep=*/true);
  Tensor out = logical_and(greater(size, -std::log2(least_sum(x.dtype(), 2))), isfinite(size));
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
  Tensor x = rows.to(DType::f64).contiguous(), y = Tensor::empty({rows.size(0)}, DType::f64);
  auto beyond = [](double v, double range) { return !(std::abs(v) <= range && std::abs(v) >= 1 / range); };
  for (int64_t r = 0, n = rows.size(1); r < rows.size(0); ++r) {
    double run = 1, total = 0;  // the product is run 2^total
    for (int64_t i = r * n; i < (r + 1) * n && run != 0; ++i) {
      double v = x.data<double>()[i];
      int e = 0;
      if (beyond(v, 0x1p500)) v = std::frexp(v, &e), total += e;
      if (beyond(run *= v, 0x1p500)) run = std::frexp(run, &e), total += e;
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
