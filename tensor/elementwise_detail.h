// The two shapes of every elementwise kernel: map_vectors runs a function of vectors over rows, map_scalars one of
// scalars. unary and binary make the result too. Included by elementwise.cpp, compare.cpp and activation.cpp only.
#pragma once

#include "tensor/profile.h"
#include "tensor/simd.h"
#include "tensor/strided_loop.h"
#include "tensor/tensor.h"

namespace heed::detail {

// n <= lanes elements from p, `step` apart.
template <class T>
inline Vec<T> load_lanes(const T* p, int64_t step, int64_t n) {
  if (step == 1) return n == kLanes<T> ? load(p) : load_first(p, n);
  if (step == 0) return splat(*p);
  T x[kLanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) x[i] = p[i * step];
  return load(x);
}
template <class T>
inline void store_lanes(T* p, int64_t step, int64_t n, Vec<T> v) {
  if (step == 1) return n == kLanes<T> ? store(p, v) : store_first(p, v, n);
  T x[kLanes<T>];
  store(x, v);
  for (int64_t i = 0; i < n; ++i) p[i * step] = x[i];
}

// y = f(x), lanes at a time. y may be x.
template <class T, class F>
void map_vectors(Tensor& y, const Tensor& x, const F& f) {
  StridedLoop<2> loop(y.shape(), {y.strides(), broadcast_strides(x.shape(), x.strides(), y.shape())});
  T* out = y.data<T>();
  const T* in = x.data<T>();
  loop.run([&](const int64_t(&at)[2], const int64_t(&step)[2], int64_t n) {
    T* o = out + at[0];
    const T* p = in + at[1];
    int64_t i = 0;
    if (step[0] == 1 && step[1] == 1)
      for (; i + kLanes<T> <= n; i += kLanes<T>) store(o + i, f(load(p + i)));
    for (; i < n; i += kLanes<T>) {
      int64_t m = std::min(kLanes<T>, n - i);
      store_lanes(o + i * step[0], step[0], m, f(load_lanes(p + i * step[1], step[1], m)));
    }
  });
}

// y = f(a, b), lanes at a time. y may be a or b.
template <class T, class F>
void map_vectors(Tensor& y, const Tensor& a, const Tensor& b, const F& f) {
  StridedLoop<3> loop(y.shape(), {y.strides(), broadcast_strides(a.shape(), a.strides(), y.shape()),
                                  broadcast_strides(b.shape(), b.strides(), y.shape())});
  T* out = y.data<T>();
  const T *pa = a.data<T>(), *pb = b.data<T>();
  loop.run([&](const int64_t(&at)[3], const int64_t(&step)[3], int64_t n) {
    T* o = out + at[0];
    const T *p = pa + at[1], *q = pb + at[2];
    int64_t i = 0;
    if (step[0] == 1 && step[1] == 1 && step[2] == 1)
      for (; i + kLanes<T> <= n; i += kLanes<T>) store(o + i, f(load(p + i), load(q + i)));
    for (; i < n; i += kLanes<T>) {
      int64_t m = std::min(kLanes<T>, n - i);
      store_lanes(o + i * step[0], step[0], m,
                  f(load_lanes(p + i * step[1], step[1], m), load_lanes(q + i * step[2], step[2], m)));
    }
  });
}

// y_i = f(a_i) and y_i = f(a_i, b_i) with any types: comparisons, casts, i64 and bool.
template <class R, class A, class F>
void map_scalars(Tensor& y, const Tensor& a, const F& f) {
  StridedLoop<2> loop(y.shape(), {y.strides(), broadcast_strides(a.shape(), a.strides(), y.shape())});
  R* out = y.data<R>();
  const A* in = a.data<A>();
  loop.run([&](const int64_t(&at)[2], const int64_t(&step)[2], int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[at[0] + i * step[0]] = f(in[at[1] + i * step[1]]);
  });
}
template <class R, class A, class B, class F>
void map_scalars(Tensor& y, const Tensor& a, const Tensor& b, const F& f) {
  StridedLoop<3> loop(y.shape(), {y.strides(), broadcast_strides(a.shape(), a.strides(), y.shape()),
                                  broadcast_strides(b.shape(), b.strides(), y.shape())});
  R* out = y.data<R>();
  const A* pa = a.data<A>();
  const B* pb = b.data<B>();
  loop.run([&](const int64_t(&at)[3], const int64_t(&step)[3], int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[at[0] + i * step[0]] = f(pa[at[1] + i * step[1]], pb[at[2] + i * step[2]]);
  });
}

// y = f(x) on f32 and f64; f takes and gives vectors.
template <class F>
Tensor unary(const char* name, const Tensor& x, const F& f) {
  Kernel kernel(name, x.count());
  return dispatch_float(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(x.shape(), x.dtype());
    map_vectors<T>(y, x, [&](Vec<T> v) { return f(zero, v); });
    return y;
  });
}

// The same for operations that i64 has too.
template <class F>
Tensor unary_number(const char* name, const Tensor& x, const F& f) {
  Kernel kernel(name, x.count());
  return dispatch_number(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(x.shape(), x.dtype());
    map_vectors<T>(y, x, f);
    return y;
  });
}

template <class F>
Tensor binary(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  require_same_dtype(name, a, b);
  Shape shape = a.shape() == b.shape() ? a.shape() : broadcast_shape(name, a.shape(), b.shape());
  Kernel kernel(name, element_count(shape));
  return dispatch_number(a.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(shape, a.dtype());
    map_vectors<T>(y, a, b, f);
    return y;
  });
}

// f of each lane, for functions of the C library.
template <class T, class F>
Vec<T> by_lane(Vec<T> v, const F& f) {
  T x[kLanes<T>];
  store(x, v);
  for (T& e : x) e = f(e);
  return load(x);
}

// DTypeError in the name of the operation unless m is bool.
void require_bool(const char* name, const Tensor& m);

}  // namespace heed::detail
