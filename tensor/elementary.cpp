// The elementary functions: vectorised where vec_math.h has them, else those of the C library.
#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/kernels/elementwise_detail.h"
#include "tensor/kernels/vec_math.h"

namespace heed {

using detail::map_scalars;
using detail::unary;
using detail::unary_scalar;

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
  return unary_scalar("sin", x, [](auto e) { return std::sin(e); });
}
Tensor cos(const Tensor& x) {
  return unary_scalar("cos", x, [](auto e) { return std::cos(e); });
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

Tensor pow(const Tensor& a, double exponent) {
  if (exponent == 2) return square(a);
  if (exponent == 0.5) return sqrt(a);
  return unary_scalar("pow", a, [exponent](auto e) { return std::pow(e, static_cast<decltype(e)>(exponent)); });
}

}  // namespace heed
