// Each operation is one line of mathematics handed to a loop of elementwise_detail.h.
#include "tensor/elementwise.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/kernels/elementwise_detail.h"

namespace heed {

using detail::binary;
using detail::map_vectors;
using detail::unary;
using detail::unary_number;
using detail::unary_scalar;

void refuse_scalar(const char* operation, double s, DType dtype) {
  throw ValueError(
      fmt::format("{}: the scalar must be a value of the tensor's dtype; got {} for {}; convert with "
                  "to(DType::f32)",
                  operation, s, name_of(dtype)));
}
void refuse_not_float(const char* operation, DType dtype) {
  throw DTypeError(fmt::format("{}: takes f32 or f64; got {}; convert with to(DType::f32)", operation, name_of(dtype)));
}
void refuse_not_number(const char* operation, DType dtype) {
  throw DTypeError(
      fmt::format("{}: takes f32, f64 or i64; got {}; convert with to(DType::f32)", operation, name_of(dtype)));
}

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
Tensor sqrt(const Tensor& x) {
  return unary_scalar("sqrt", x, [](auto e) { return std::sqrt(e); });
}
Tensor rsqrt(const Tensor& x) {
  return unary_scalar("rsqrt", x, [](auto e) { return 1 / std::sqrt(e); });
}
Tensor floor(const Tensor& x) {
  return unary_scalar("floor", x, [](auto e) { return std::floor(e); });
}
Tensor round(const Tensor& x) {
  return unary_scalar("round", x,
                      [](auto e) { return std::nearbyint(e); });  // the rounding mode is never changed: to even
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
  require_float("div", a.dtype());
  return binary("div", a, b, [](auto p, auto q) { return p / q; });
}
// NaN in either argument gives NaN.
Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("maximum", a, b, [](auto p, auto q) { return p != p ? p : (q != q ? q : vmax(p, q)); });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("minimum", a, b, [](auto p, auto q) { return p != p ? p : (q != q ? q : vmin(p, q)); });
}
namespace {
// f(vector, element) with the scalar as an element of x's dtype.
template <class F>
Tensor with_scalar(const char* name, const Tensor& x, double s, const F& f) {
  if (x.dtype() == DType::i64) scalar_as<int64_t>(name, s);
  return unary_number(name, x, [f, s](auto v) { return f(v, static_cast<std::remove_cvref_t<decltype(v[0])>>(s)); });
}
}  // namespace

Tensor add(const Tensor& a, double s) {
  return with_scalar("add", a, s, [](auto v, auto t) { return v + t; });
}
Tensor sub(const Tensor& a, double s) {
  return with_scalar("sub", a, s, [](auto v, auto t) { return v - t; });
}
Tensor sub(double s, const Tensor& a) {
  return with_scalar("sub", a, s, [](auto v, auto t) { return t - v; });
}
Tensor mul(const Tensor& a, double s) {
  return with_scalar("mul", a, s, [](auto v, auto t) { return v * t; });
}
Tensor div(const Tensor& a, double s) {
  return unary("div", a, [s](auto t, auto v) { return v / static_cast<decltype(t)>(s); });
}
Tensor div(double s, const Tensor& a) {
  return unary("div", a, [s](auto t, auto v) { return static_cast<decltype(t)>(s) / v; });
}
Tensor clamp(const Tensor& x, double low, double high) {
  if (!(low <= high)) throw ValueError(fmt::format("clamp: low must not exceed high; got {} and {}", low, high));
  return unary("clamp", x, [=](auto t, auto v) {
    using T = decltype(t);
    Vec<T> lo = splat(static_cast<T>(low)), hi = splat(static_cast<T>(high));
    return v < lo ? lo : (v > hi ? hi : v);
  });
}

}  // namespace heed
