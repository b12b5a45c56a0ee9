#include "tensor/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tensor/kernels/elementwise_detail.h"

namespace heed {

using detail::map_scalars;
using detail::require_bool;

void detail::require_bool(const char* name, const Tensor& m) {
  if (m.dtype() != DType::boolean)
    throw DTypeError(
        fmt::format("{}: the mask must be bool; got {} {}", name, name_of(m.dtype()), to_string(m.shape())));
}

namespace {

template <class F>
Tensor compare(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  require_same_dtype(name, a, b);
  Tensor y = Tensor::empty(broadcast_shape(name, a.shape(), b.shape()), DType::boolean);
  dispatch(a.dtype(), [&](auto zero) { map_scalars<bool, decltype(zero), decltype(zero)>(y, a, b, f); });
  return y;
}

template <class F>
Tensor compare(const char* name, const Tensor& a, double s, const F& f) {
  if (a.dtype() != DType::i64) return compare(name, a, Tensor::scalar(s, a.dtype()), f);
  // Neither i64 nor f64 holds all values of the other. So p is compared with w = floor(s) as an integer. The sign of
  // p - w is -1, 0 or 1, and 0 <= s - w < 1, so comparing these two compares p and s. If s is NaN or outside the
  // range of i64, the sign of p is compared with s.
  Tensor y = Tensor::empty(a.shape(), DType::boolean);
  double whole = std::floor(s), rest = s - whole;
  if (!(whole >= -0x1p63 && whole < 0x1p63)) whole = 0, rest = s;
  map_scalars<bool, int64_t>(y, a, [f, rest, w = static_cast<int64_t>(whole)](int64_t p) {
    return f(static_cast<double>((p > w) - (p < w)), rest);
  });
  return y;
}

// y = f(x) for real numbers, `otherwise` for those that cannot be NaN or infinite.
template <class F>
Tensor classify(const Tensor& x, bool otherwise, const F& f) {
  Tensor y = Tensor::full(x.shape(), otherwise, DType::boolean);
  if (is_float(x.dtype()))
    dispatch_float(x.dtype(), "classify", [&](auto zero) { map_scalars<bool, decltype(zero)>(y, x, f); });
  return y;
}

template <class F>
Tensor combine(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  require_bool(name, a);
  require_bool(name, b);
  Tensor y = Tensor::empty(broadcast_shape(name, a.shape(), b.shape()), DType::boolean);
  map_scalars<bool, bool, bool>(y, a, b, f);
  return y;
}

using Equal = std::equal_to<>;
using NotEqual = std::not_equal_to<>;
using Less = std::less<>;
using LessEqual = std::less_equal<>;
using Greater = std::greater<>;
using GreaterEqual = std::greater_equal<>;

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) { return compare("equal", a, b, Equal()); }
Tensor not_equal(const Tensor& a, const Tensor& b) { return compare("not_equal", a, b, NotEqual()); }
Tensor less(const Tensor& a, const Tensor& b) { return compare("less", a, b, Less()); }
Tensor less_equal(const Tensor& a, const Tensor& b) { return compare("less_equal", a, b, LessEqual()); }
Tensor greater(const Tensor& a, const Tensor& b) { return compare("greater", a, b, Greater()); }
Tensor greater_equal(const Tensor& a, const Tensor& b) { return compare("greater_equal", a, b, GreaterEqual()); }
Tensor equal(const Tensor& a, double s) { return compare("equal", a, s, Equal()); }
Tensor not_equal(const Tensor& a, double s) { return compare("not_equal", a, s, NotEqual()); }
Tensor less(const Tensor& a, double s) { return compare("less", a, s, Less()); }
Tensor less_equal(const Tensor& a, double s) { return compare("less_equal", a, s, LessEqual()); }
Tensor greater(const Tensor& a, double s) { return compare("greater", a, s, Greater()); }
Tensor greater_equal(const Tensor& a, double s) { return compare("greater_equal", a, s, GreaterEqual()); }

Tensor isnan(const Tensor& x) {
  return classify(x, false, [](auto v) { return std::isnan(v); });
}
Tensor isfinite(const Tensor& x) {
  return classify(x, true, [](auto v) { return std::isfinite(v); });
}

Tensor logical_not(const Tensor& a) {
  require_bool("logical_not", a);
  return compare("logical_not", a, false, Equal());
}
Tensor logical_and(const Tensor& a, const Tensor& b) { return combine("logical_and", a, b, std::logical_and<>()); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return combine("logical_or", a, b, std::logical_or<>()); }

}  // namespace heed
