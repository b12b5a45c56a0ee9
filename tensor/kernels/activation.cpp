#include "tensor/kernels/activation.h"

#include <fmt/format.h>

#include <limits>

#include "tensor/kernels/elementwise_detail.h"
#include "tensor/kernels/vec_math.h"

namespace heed {
namespace {

using detail::run_new;
using detail::unary;
using detail::vector_loop2;

// dx = f(zero of the type, x, dy).
template <class F>
Tensor chain(const char* name, const Tensor& x, const Tensor& dy, const F& f) {
  require_same_dtype(name, x, dy);
  if (!(x.shape() == dy.shape()))
    throw ShapeError(fmt::format("{}: x and dy must have one shape; got x {} and dy {}", name, to_string(x.shape()),
                                 to_string(dy.shape())));
  auto typed = [f](auto zero) { return [f, zero](auto v, auto d) { return f(zero, v, d); }; };
  auto f32 = typed(float{});
  auto f64 = typed(double{});
  const void* context = x.dtype() == DType::f32 ? static_cast<const void*>(&f32) : &f64;
  return run_new(name, {vector_loop2<float, decltype(f32)>, vector_loop2<double, decltype(f64)>, nullptr}, context,
                 {&x, &dy});
}
template <class F>  // dx = dy f'(x)
Tensor times_slope(const char* name, const Tensor& x, const Tensor& dy, const F& f) {
  return chain(name, x, dy, [f](auto t, auto v, auto d) { return d * f(t, v); });
}

constexpr double kSqrtHalf = 0.70710678118654752440, kInvSqrt2Pi = 0.39894228040143267794;
constexpr double kSqrt2OverPi = 0.79788456080286535588, kCubic = 0.044715;

template <class T>
Vec<T> zero_at_minus_infinity(Vec<T> x, Vec<T> y) {  // -inf times 0 would be NaN
  return x == splat(-std::numeric_limits<T>::infinity()) ? Vec<T>{} : y;
}
// In a gradient, values further out count as this far: there it is 0 or 1 to the last bit, and nothing overflows.
template <class T>
Vec<T> within_reach(Vec<T> x) {
  Vec<T> reach = splat(static_cast<T>(1000));
  return x > reach ? reach : (x < -reach ? -reach : x);
}

// The distribution function of the normal distribution; 0 at minus infinity. f32: half of erfc(|x| / sqrt 2), or 1 less
// that, from one exponential.
F64x8 phi(F64x8 x) { return 0.5 * verf<double>(x * kSqrtHalf) + 0.5; }
F32x16 phi(F32x16 x) {
  F32x16 t = vabs(x) * static_cast<float>(kSqrtHalf), end = splat(kErfEnd);
  ExpParts<float> e = exp_parts<float>(log_erfc(t > end ? end : t));
  F32x16 half = e.power() * 0.5f, tail = e.m * half + half;
  tail = t > end ? F32x16{} : tail;
  return x > F32x16{} ? 1.0f - tail : tail;
}
template <class T>
Vec<T> bent(Vec<T> x) {  // what stands under the tanh
  return static_cast<T>(kSqrt2OverPi) * x * (static_cast<T>(1) + static_cast<T>(kCubic) * x * x);
}

// tanh(log(1 + u)) = n / (n + 2) with n = u (u + 2), u = e^x: no digit is lost far below 0. Above 30 it is 1.
template <class T>
Vec<T> mish_n(Vec<T> x) {
  Vec<T> limit = splat(static_cast<T>(30)), u = vexp<T>(x > limit ? limit : x);
  return u * (u + static_cast<T>(2));
}

void require_beta(const SoftplusOptions& o) {
  if (!(o.beta > 0)) throw ValueError(fmt::format("softplus: beta must be positive; got {}", o.beta));
}

}  // namespace

Tensor leaky_relu(const Tensor& x, double slope) {
  return unary("leaky_relu", x, [slope](auto t, auto v) {
    using T = decltype(t);
    return v > Vec<T>{} ? v : v * static_cast<T>(slope);
  });
}
Tensor tanh_backward(const Tensor& y, const Tensor& dy) {
  return times_slope("tanh_backward", y, dy, [](auto t, auto v) { return splat(decltype(t){1}) - v * v; });
}
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy) {
  return times_slope("sigmoid_backward", y, dy, [](auto t, auto v) { return v * (splat(decltype(t){1}) - v); });
}

Tensor relu_backward(const Tensor& x, const Tensor& dy) {  // chosen: dy may be infinite, and 0 times infinity is NaN
  return chain("relu_backward", x, dy, [](auto, auto v, auto d) { return v > decltype(v){} ? d : decltype(v){}; });
}
Tensor leaky_relu_backward(const Tensor& x, const Tensor& dy, double slope) {
  return chain("leaky_relu_backward", x, dy,
               [slope](auto t, auto v, auto d) { return v > decltype(v){} ? d : d * static_cast<decltype(t)>(slope); });
}

Tensor elu(const Tensor& x, double alpha) {
  return unary("elu", x, [alpha](auto t, auto v) {
    using T = decltype(t);
    return v > Vec<T>{} ? v : static_cast<T>(alpha) * vexpm1<T>(v);
  });
}
Tensor elu_backward(const Tensor& x, const Tensor& dy, double alpha) {
  return times_slope("elu_backward", x, dy, [alpha](auto t, auto v) {
    using T = decltype(t);
    return v > Vec<T>{} ? splat(T{1}) : static_cast<T>(alpha) * vexp<T>(v);
  });
}

Tensor gelu(const Tensor& x, Gelu form) {
  return unary("gelu", x, [form](auto t, auto v) {
    using T = decltype(t);
    T half = static_cast<T>(0.5);
    return zero_at_minus_infinity<T>(v, v * (form == Gelu::exact ? phi(v) : half + half * vtanh<T>(bent<T>(v))));
  });
}
Tensor gelu_backward(const Tensor& x, const Tensor& dy, Gelu form) {
  return times_slope("gelu_backward", x, dy, [form](auto t, auto far) {
    using T = decltype(t);
    Vec<T> v = within_reach<T>(far);
    T half = static_cast<T>(0.5), one = 1;
    if (form == Gelu::exact) return phi(v) + v * static_cast<T>(kInvSqrt2Pi) * vexp<T>(v * v * -half);
    Vec<T> th = vtanh<T>(bent<T>(v)), inner = one + static_cast<T>(3 * kCubic) * v * v;
    return half * (one + th) + half * v * (one - th * th) * static_cast<T>(kSqrt2OverPi) * inner;
  });
}

Tensor silu(const Tensor& x) {
  return unary("silu", x, [](auto t, auto v) {
    using T = decltype(t);
    return zero_at_minus_infinity<T>(v, v * vsigmoid<T>(v));
  });
}
Tensor silu_backward(const Tensor& x, const Tensor& dy) {
  return times_slope("silu_backward", x, dy, [](auto t, auto far) {
    using T = decltype(t);
    Vec<T> v = within_reach<T>(far), s = vsigmoid<T>(v);
    T one = 1;
    return s * (one + v * (one - s));
  });
}

Tensor mish(const Tensor& x) {
  return unary("mish", x, [](auto t, auto v) {
    using T = decltype(t);
    Vec<T> n = mish_n<T>(v);
    return zero_at_minus_infinity<T>(v, v * (n / (n + static_cast<T>(2))));
  });
}
Tensor mish_backward(const Tensor& x, const Tensor& dy) {
  return times_slope("mish_backward", x, dy, [](auto t, auto far) {
    using T = decltype(t);
    Vec<T> v = within_reach<T>(far), n = mish_n<T>(v), rest = static_cast<T>(2) / (n + static_cast<T>(2));  // 1 - tanh
    return n / (n + static_cast<T>(2)) + v * vsigmoid<T>(v) * rest * (static_cast<T>(2) - rest);
  });
}

Tensor softplus(const Tensor& x, const SoftplusOptions& o) {
  require_beta(o);
  return unary("softplus", x, [o](auto t, auto v) {
    using T = decltype(t);
    Vec<T> z = v * static_cast<T>(o.beta), limit = splat(static_cast<T>(o.threshold));
    Vec<T> positive = z > Vec<T>{} ? z : Vec<T>{};
    Vec<T> y = (positive + vlog1p<T>(vexp<T>(-vabs(z)))) / static_cast<T>(o.beta);
    return z > limit ? v : y;
  });
}
Tensor softplus_backward(const Tensor& x, const Tensor& dy, const SoftplusOptions& o) {
  require_beta(o);
  return times_slope("softplus_backward", x, dy, [o](auto t, auto v) {
    using T = decltype(t);
    Vec<T> z = v * static_cast<T>(o.beta), limit = splat(static_cast<T>(o.threshold));
    return z > limit ? splat(T{1}) : vsigmoid<T>(z);
  });
}

}  // namespace heed
