// Each operation is one line of mathematics handed to a loop of elementwise_detail.h.
#include "tensor/elementwise.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "tensor/elementwise_detail.h"
#include "tensor/profile.h"
#include "tensor/vec_math.h"

namespace heed {

using detail::binary;
using detail::by_lane;
using detail::map_scalars;
using detail::map_vectors;
using detail::require_bool;
using detail::unary;
using detail::unary_number;

Tensor neg(const Tensor& x) {
  return unary_number("neg", x, [](auto v) { return -v; });
}
Tensor abs(const Tensor& x) {
  return unary_number("abs", x, [](auto v) { return vabs(v); });
}
Tensor square(const Tensor& x) {
  return unary_number("square", x, [](auto v) { return v * v; });
}
Tensor reciprocal(const Tensor& x) {
  return unary("reciprocal", x, [](auto zero, auto v) { return static_cast<decltype(zero)>(1) / v; });
}
Tensor exp(const Tensor& x) {
  return unary("exp", x, [](auto t, auto v) { return vexp<decltype(t)>(v); });
}
Tensor log(const Tensor& x) {
  return unary("log", x, [](auto t, auto v) { return vlog<decltype(t)>(v); });
}
Tensor tanh(const Tensor& x) {
  return unary("tanh", x, [](auto t, auto v) { return vtanh<decltype(t)>(v); });
}
Tensor sigmoid(const Tensor& x) {
  return unary("sigmoid", x, [](auto t, auto v) { return vsigmoid<decltype(t)>(v); });
}
Tensor sqrt(const Tensor& x) {
  return unary("sqrt", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return std::sqrt(e); });
  });
}
Tensor rsqrt(const Tensor& x) {
  return unary("rsqrt", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return 1 / std::sqrt(e); });
  });
}
Tensor erf(const Tensor& x) {
  return unary("erf", x, [](auto t, auto v) { return verf<decltype(t)>(v); });
}
Tensor expm1(const Tensor& x) {
  return unary("expm1", x, [](auto t, auto v) { return vexpm1<decltype(t)>(v); });
}
Tensor log1p(const Tensor& x) {
  return unary("log1p", x, [](auto t, auto v) { return vlog1p<decltype(t)>(v); });
}
Tensor sin(const Tensor& x) {
  return unary("sin", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return std::sin(e); });
  });
}
Tensor cos(const Tensor& x) {
  return unary("cos", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return std::cos(e); });
  });
}
Tensor floor(const Tensor& x) {
  return unary("floor", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return std::floor(e); });
  });
}
Tensor round(const Tensor& x) {
  return unary("round", x, [](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [](T e) { return std::nearbyint(e); });  // the rounding mode is never changed: to even
  });
}
Tensor relu(const Tensor& x) {
  return unary("relu", x, [](auto, auto v) { return v < decltype(v){} ? decltype(v){} : v; });  // NaN passes
}
Tensor sign(const Tensor& x) {
  return unary("sign", x, [](auto t, auto v) {
    using T = decltype(t);
    Vec<T> zero = {}, one = splat(static_cast<T>(1));
    return v > zero ? one : (v < zero ? -one : v);
  });
}

Tensor add(const Tensor& a, const Tensor& b) {
  return binary("add", a, b, [](auto p, auto q) { return p + q; });
}
Tensor sub(const Tensor& a, const Tensor& b) {
  return binary("sub", a, b, [](auto p, auto q) { return p - q; });
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return binary("mul", a, b, [](auto p, auto q) { return p * q; });
}
Tensor div(const Tensor& a, const Tensor& b) {
  if (!is_float(a.dtype())) dispatch_float(a.dtype(), "div", [](auto) {});
  return binary("div", a, b, [](auto p, auto q) { return p / q; });
}
// NaN in either argument gives NaN.
Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("maximum", a, b, [](auto p, auto q) { return p != p ? p : (q != q ? q : vmax(p, q)); });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("minimum", a, b, [](auto p, auto q) { return p != p ? p : (q != q ? q : vmin(p, q)); });
}
Tensor pow(const Tensor& a, const Tensor& b) {
  require_same_dtype("pow", a, b);
  Tensor y = Tensor::empty(broadcast_shape("pow", a.shape(), b.shape()), a.dtype());
  dispatch_float(a.dtype(), "pow", [&](auto zero) {
    using T = decltype(zero);
    map_scalars<T, T, T>(y, a, b, [](T p, T q) { return std::pow(p, q); });
  });
  return y;
}

Tensor add(const Tensor& a, double s) {
  Kernel kernel("add", a.count());
  return dispatch_number(a.dtype(), "add", [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(a.shape(), a.dtype());
    map_vectors<T>(y, a, [k = convert<T>(s)](Vec<T> v) { return v + k; });
    return y;
  });
}
Tensor mul(const Tensor& a, double s) {
  Kernel kernel("mul", a.count());
  return dispatch_number(a.dtype(), "mul", [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(a.shape(), a.dtype());
    map_vectors<T>(y, a, [k = convert<T>(s)](Vec<T> v) { return v * k; });
    return y;
  });
}
Tensor sub(const Tensor& a, double s) { return add(a, -s); }
Tensor sub(double s, const Tensor& a) { return add(neg(a), s); }
Tensor div(const Tensor& a, double s) {
  return unary("div", a, [s](auto t, auto v) { return v / static_cast<decltype(t)>(s); });
}
Tensor div(double s, const Tensor& a) {
  return unary("div", a, [s](auto t, auto v) { return static_cast<decltype(t)>(s) / v; });
}
Tensor pow(const Tensor& a, double exponent) {
  if (exponent == 2) return square(a);
  if (exponent == 0.5) return sqrt(a);
  return unary("pow", a, [exponent](auto t, auto v) {
    using T = decltype(t);
    return by_lane<T>(v, [k = static_cast<T>(exponent)](T e) { return std::pow(e, k); });
  });
}
Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high)) throw ValueError(fmt::format("clamp: low must not exceed high; got {} and {}", low, high));
  return unary("clamp", x, [=](auto t, auto v) {
    using T = decltype(t);
    Vec<T> lo = splat(static_cast<T>(low)), hi = splat(static_cast<T>(high));
    return v < lo ? lo : (v > hi ? hi : v);
  });
}

namespace {
Tensor choose(const char* name, const Tensor& condition, const Tensor& a, const Tensor& b) {
  require_bool(name, condition);
  require_same_dtype(name, a, b);
  Shape shape = broadcast_shape(name, broadcast_shape(name, condition.shape(), a.shape()), b.shape());
  Tensor y = Tensor::empty(shape, a.dtype());
  dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto of = [&](const Tensor& t) { return broadcast_strides(t.shape(), t.strides(), shape); };
    StridedLoop<4> loop(shape, {y.strides(), of(condition), of(a), of(b)});
    T *out = y.data<T>(), *pa = a.data<T>(), *pb = b.data<T>();
    bool* mask = condition.data<bool>();
    loop.run([&](const int64_t(&at)[4], const int64_t(&step)[4], int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        out[at[0] + i * step[0]] = mask[at[1] + i * step[1]] ? pa[at[2] + i * step[2]] : pb[at[3] + i * step[3]];
    });
  });
  return y;
}
}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return choose("where", condition, a, b); }
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  return choose("masked_fill", mask, Tensor::scalar(value, x.dtype()), x);
}

Tensor cast(const Tensor& x, DType dtype) {
  Tensor y = Tensor::empty(x.shape(), dtype);
  dispatch(x.dtype(), [&](auto from) {
    dispatch(dtype, [&](auto to) {
      using F = decltype(from);
      using T = decltype(to);
      map_scalars<T, F>(y, x, [](F v) { return convert<T>(v); });
    });
  });
  return y;
}

namespace {
// A repeated element would be written several times, by several threads.
void require_own_elements(const char* name, const Tensor& y) {
  for (int i = 0; i < y.rank(); ++i)
    if (y.shape()[i] > 1 && y.strides()[i] == 0)
      throw ValueError(
          fmt::format("{}: the target must not repeat elements; got {} with strides {}; hint: contiguous()", name,
                      to_string(y.shape()), to_string(y.strides())));
}
void require_fits(const char* name, const Tensor& y, const Tensor& x) {
  require_same_dtype(name, y, x);
  if (!(broadcast_shape(name, y.shape(), x.shape()) == y.shape()))
    throw ShapeError(fmt::format("{}: the value must broadcast to the target's shape; got target {} and value {}", name,
                                 to_string(y.shape()), to_string(x.shape())));
  require_own_elements(name, y);
}
}  // namespace

void copy_into(Tensor& y, const Tensor& x) {
  require_fits("copy_into", y, x);
  Kernel kernel("copy", y.count());
  if (y.is_contiguous() && x.is_contiguous() && x.shape() == y.shape()) {
    size_t bytes = static_cast<size_t>(y.count()) * size_of(y.dtype());
    if (bytes)
      dispatch(y.dtype(), [&](auto zero) { std::memmove(y.data<decltype(zero)>(), x.data<decltype(zero)>(), bytes); });
  } else {
    dispatch(y.dtype(), [&](auto zero) {
      using T = decltype(zero);
      map_scalars<T, T>(y, x, [](T v) { return v; });
    });
  }
  y.mark_written("copy_into");
}
void add_into(Tensor& y, const Tensor& x, double scale) {
  require_fits("add_into", y, x);
  Kernel kernel("add_into", y.count());
  dispatch_number(y.dtype(), "add_into", [&](auto zero) {
    using T = decltype(zero);
    if (scale == 1)
      map_vectors<T>(y, y, x, [](Vec<T> p, Vec<T> q) { return p + q; });
    else
      map_vectors<T>(y, y, x, [k = convert<T>(scale)](Vec<T> p, Vec<T> q) { return p + q * k; });
  });
  y.mark_written("add_into");
}
void scale_into(Tensor& y, double s) {
  require_own_elements("scale_into", y);
  dispatch_number(y.dtype(), "scale_into", [&](auto zero) {
    using T = decltype(zero);
    map_vectors<T>(y, y, [k = convert<T>(s)](Vec<T> v) { return v * k; });
  });
  y.mark_written("scale_into");
}
void fill_into(Tensor& y, double value) {
  Tensor v = Tensor::scalar(value, y.dtype());
  copy_into(y, v);
  y.storage().writer = "fill_into";
}

int64_t dropout_blocks(int64_t count) { return (count + 3) / 4; }

Tensor dropout_mask(const Shape& shape, DType dtype, double p, uint64_t seed, uint64_t offset) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p must lie in [0, 1]; got {}", p));
  Tensor mask = Tensor::empty(shape, dtype);
  int64_t n = mask.count();
  auto threshold = static_cast<uint32_t>(p * 4294967296.0 > 4294967295.0 ? 4294967295.0 : p * 4294967296.0);
  dispatch_float(dtype, "dropout", [&](auto zero) {
    using T = decltype(zero);
    T keep = static_cast<T>(p < 1 ? 1 / (1 - p) : 0), *out = mask.data<T>();
    parallel_for(0, dropout_blocks(n), 2048, [&](int64_t b, int64_t e) {
      for (int64_t block = b; block < e; ++block) {
        auto words = philox(seed, offset + static_cast<uint64_t>(block));
        for (int64_t i = 4 * block; i < std::min(n, 4 * block + 4); ++i)
          out[i] = words[static_cast<size_t>(i % 4)] >= threshold && p < 1 ? keep : T{0};
      }
    });
  });
  return mask;
}

bool all_finite(const Tensor& x) { return first_not_finite(x, true) < 0; }

int64_t first_not_finite(const Tensor& x, bool infinities) {
  if (!is_float(x.dtype())) return -1;
  Tensor dense = x.contiguous();
  return dispatch_float(x.dtype(), "first_not_finite", [&](auto zero) {
    using T = decltype(zero);
    const T* p = dense.data<T>();
    for (int64_t i = 0, n = x.count(); i < n; ++i)
      if (std::isnan(p[i]) || (infinities && std::isinf(p[i]))) return i;
    return int64_t{-1};
  });
}

bool bit_equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  Tensor p = a.contiguous(), q = b.contiguous();
  if (a.count() == 0) return true;
  return dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return std::memcmp(p.data<T>(), q.data<T>(), static_cast<size_t>(a.count()) * sizeof(T)) == 0;
  });
}

double max_abs_difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    throw ShapeError(fmt::format("max_abs_difference: shapes must be equal; got {} and {}", to_string(a.shape()),
                                 to_string(b.shape())));
  auto p = a.to_vector(), q = b.to_vector();
  double worst = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    double d = p[i] == q[i] ? 0 : std::abs(p[i] - q[i]);  // equal infinities differ by nothing
    if (std::isnan(d)) return d;
    worst = std::max(worst, d);
  }
  return worst;
}

}  // namespace heed
