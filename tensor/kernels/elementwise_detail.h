// Every elementwise kernel has three parts: a formula, a loop that applies it to contiguous elements, and one driver,
// common to all, that handles strides, broadcasting and threads. The driver calls the loop through a function pointer,
// so the compiler generates only one small loop per operation and type. Include this only where kernels are defined.
//
// A formula calculates with Lanes<T, R>, a vector of simd.h that behaves like one number: 16 floats or 8 doubles at a
// time.
//
//   auto slope = [](auto y) { return 1 - y * y; };
//
// A constant becomes a T in every lane. A comparison gives a mask; where(mask, a, b) selects by it. The functions are
// those of vec_math.h or, lane by lane, of the C library. Lanes after the end of a row are zero, and their results
// are discarded.
#pragma once

#include <array>
#include <cmath>
#include <initializer_list>

#include "tensor/functions.h"
#include "tensor/kernels/machine.h"
#include "tensor/kernels/vec_math.h"
#include "tensor/profile.h"
#include "tensor/tensor.h"

namespace heed {

// clang-format off
template <class T, int R> Lanes<T, R> square(Lanes<T, R> x) { return x * x; }

// The same function of each lane.
template <class T, int R, class F>
Lanes<T, R> each_lane(Lanes<T, R> x, F f) {
  T lanes[kLanes<T>];
  store(lanes, x);
  for (T& lane : lanes) lane = f(lane);
  return load<R>(lanes);
}
template <class T, int R> Lanes<T, R> sqrt(Lanes<T, R> x) { return each_lane(x, [](T e) { return std::sqrt(e); }); }
template <class T, int R> Lanes<T, R> sin(Lanes<T, R> x) { return each_lane(x, [](T e) { return std::sin(e); }); }
template <class T, int R> Lanes<T, R> cos(Lanes<T, R> x) { return each_lane(x, [](T e) { return std::cos(e); }); }
template <class T, int R> Lanes<T, R> floor(Lanes<T, R> x) { return each_lane(x, [](T e) { return std::floor(e); }); }
template <class T, int R> Lanes<T, R> round(Lanes<T, R> x) { return each_lane(x, [](T e) { return std::nearbyint(e); }); }
// clang-format on
template <class T, int R>
Lanes<T, R> pow(Lanes<T, R> x, double exponent) {
  if (exponent == 2) return x * x;
  if (exponent == 1) return x;
  if (exponent == 0.5) return sqrt(x);
  if (exponent == -1) return 1 / x;
  return each_lane(x, [p = static_cast<T>(exponent)](T e) { return std::pow(e, p); });
}
template <class T, int R>
Lanes<T, R> pow(Lanes<T, R> x, Lanes<T, R> y) {
  T exponents[kLanes<T>];
  store(exponents, y);
  return each_lane(x, [p = exponents](T e) mutable { return std::pow(e, *p++); });
}
template <class T, int R>
Lanes<T, R> sign(Lanes<T, R> x) {
  return where(x > 0, 1, where(x < 0, -1, x));  // 0, -0 and NaN are their own
}
// dy x^q. Where x^q leaves the range of the type, though a tiny or huge dy may bring it back, it is taken in two
// halves.
template <class T, int R>
Lanes<T, R> times_power(Lanes<T, R> dy, Lanes<T, R> x, double q) {
  using L = std::numeric_limits<T>;
  Lanes<T, R> power = pow(x, q), size = abs(power), z = dy * power;
  auto lost = ((size < L::min()) | (size > L::max())) & (x != 0);
  if (!fold_lanes(lost, [](auto a, auto b) { return a | b; })) return z;
  Lanes<T, R> half = pow(abs(x), q / 2);
  return where(lost, dy * half * pow(sign(x), q) * half, z);
}
template <class T, int R>
Lanes<T, R> nothing_of(Lanes<T, R>) {  // no gradient, whatever arrives
  return 0;
}

// The distribution function of the normal distribution. f32: half of erfc(|x| / sqrt 2), or 1 minus that, from one
// exponential.
template <int R>
inline Lanes<double, R> normal_cdf(Lanes<double, R> x) {
  return 0.5 * erf(x * elementwise_table::kSqrtHalf) + 0.5;
}
template <int R>
inline Lanes<float, R> normal_cdf(Lanes<float, R> x) {
  Lanes<float, R> t = abs(x) * elementwise_table::kSqrtHalf;
  ExpParts<float, R> e = exp_parts(log_erfc(where(t > kErfEnd, kErfEnd, t)));
  Lanes<float, R> half = e.power() * 0.5f;
  Lanes<float, R> tail = where(t > kErfEnd, 0, Lanes<float, R>(e.m * half + half));
  return where(x > 0, 1 - tail, tail);
}

namespace detail {

// A loop over n elements of each operand; at[0] is the result. `formula` is the function object that it calls.
using RowLoop = void (*)(const void* formula, void* const* at, int64_t n);

// y = loop of the inputs, at most three, each broadcast to y's shape. y may be one of them. The loop is called with
// multiples of `multiple` elements, which divides 64.
void run_rows(RowLoop loop, const void* formula, int64_t multiple, Tensor& y,
              std::initializer_list<const Tensor*> inputs);
inline int64_t lanes_of(DType dtype) { return 64 / static_cast<int64_t>(size_of(dtype)); }
void copy_rows(Tensor& y, const Tensor& x);  // y = x, of one dtype, x broadcast
void* first_of(const Tensor& t);             // data(), of any dtype

// The loops of an operation by dtype, f32 f64 i64; null where it does not have the type (DTypeError).
using LoopByType = std::array<RowLoop, 3>;
RowLoop loop_for(const char* name, const LoopByType& loops, DType dtype);
// A new tensor of the inputs' dtype and common shape.
Tensor run_new(const char* name, const LoopByType& loops, const void* formula,
               std::initializer_list<const Tensor*> inputs);

template <class T, class F>
struct Loop1 {
  template <int R>
  static void run(const void* formula, void* const* at, int64_t n) {
    constexpr int64_t ahead = 4096 / static_cast<int64_t>(sizeof(T));  // prefetched this far ahead, to hide latency
    const F f = *static_cast<const F*>(formula);
    T* y = static_cast<T*>(at[0]);
    const T* x = static_cast<const T*>(at[1]);
    for (int64_t i = 0; i < n; i += kLanes<T>) {
      __builtin_prefetch(x + i + ahead);
      __builtin_prefetch(y + i + ahead / 2, 1);
      store(y + i, f(load<R>(x + i)));
    }
  }
};
// x itself, which keeps its load apart from a `where` that follows. GCC would join the two into a masked load, which
// has to wait for the mask: for arrays in main memory, the loop then takes 14 % longer.
template <class T, int R, int N>
[[gnu::always_inline]] inline Lanes<T, R, N> unmasked(Lanes<T, R, N> x) {
#if defined(__AVX512F__)
  if constexpr (requires { x.v; })
    asm("" : "+v"(x.v));
  else
    x.low = unmasked(x.low), x.high = unmasked(x.high);
#endif
  return x;
}
template <class T, class F>
struct Loop2 {
  template <int R>
  static void run(const void* formula, void* const* at, int64_t n) {
    const F f = *static_cast<const F*>(formula);
    T* y = static_cast<T*>(at[0]);
    const T *a = static_cast<const T*>(at[1]), *b = static_cast<const T*>(at[2]);
    for (int64_t i = 0; i < n; i += kLanes<T>) store(y + i, f(unmasked(load<R>(a + i)), unmasked(load<R>(b + i))));
  }
};
// A loop for the registers of this processor.
template <class Loop>
RowLoop row_loop() {
  return with_width([]<int R>() -> RowLoop { return Compiled<Loop, R, const void*, void* const*, int64_t>::call; });
}

// y = f(x) and y = f(a, b) on f32 and f64, and on i64 too.
template <class F>
Tensor unary(const char* name, const Tensor& x, const F& f) {
  return run_new(name, {row_loop<Loop1<float, F>>(), row_loop<Loop1<double, F>>(), nullptr}, &f, {&x});
}
template <class F>
Tensor unary_number(const char* name, const Tensor& x, const F& f) {
  return run_new(name, {row_loop<Loop1<float, F>>(), row_loop<Loop1<double, F>>(), row_loop<Loop1<int64_t, F>>()}, &f,
                 {&x});
}
template <class F>
Tensor binary(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  return run_new(name, {row_loop<Loop2<float, F>>(), row_loop<Loop2<double, F>>(), nullptr}, &f, {&a, &b});
}
template <class F>
Tensor binary_number(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  return run_new(name, {row_loop<Loop2<float, F>>(), row_loop<Loop2<double, F>>(), row_loop<Loop2<int64_t, F>>()}, &f,
                 {&a, &b});
}

// y = f(y, x), in place, on f32, f64 and i64.
template <class F>
void update(const char* name, Tensor& y, const Tensor& x, const F& f) {
  RowLoop loop = loop_for(
      name, {row_loop<Loop2<float, F>>(), row_loop<Loop2<double, F>>(), row_loop<Loop2<int64_t, F>>()}, y.dtype());
  Kernel kernel(name, y.count());
  run_rows(loop, &f, lanes_of(y.dtype()), y, {&y, &x});
}

// y_i = f(a_i) and y_i = f(a_i, b_i), one element at a time, of any types: comparisons, casts.
template <class R, class A, class F>
void map_scalars(Tensor& y, const Tensor& a, const F& given) {
  RowLoop loop = [](const void* formula, void* const* at, int64_t n) {
    const F f = *static_cast<const F*>(formula);
    R* out = static_cast<R*>(at[0]);
    const A* in = static_cast<const A*>(at[1]);
    for (int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
  };
  run_rows(loop, &given, 1, y, {&a});
}
template <class R, class A, class B, class F>
void map_scalars(Tensor& y, const Tensor& a, const Tensor& b, const F& given) {
  RowLoop loop = [](const void* formula, void* const* at, int64_t n) {
    const F f = *static_cast<const F*>(formula);
    R* out = static_cast<R*>(at[0]);
    const A* pa = static_cast<const A*>(at[1]);
    const B* pb = static_cast<const B*>(at[2]);
    for (int64_t i = 0; i < n; ++i) out[i] = f(pa[i], pb[i]);
  };
  run_rows(loop, &given, 1, y, {&a, &b});
}

// DTypeError in the name of the operation unless m is bool.
void require_bool(const char* name, const Tensor& m);

}  // namespace detail
}  // namespace heed
