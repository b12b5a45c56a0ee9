// How every elementwise kernel is made: a loop over elements that lie one behind another, and one driver that brings
// any strides, broadcasting and threads to it. The driver knows the loop as a function pointer, so that an operation
// costs the compiler one small loop a type. Included by the sources of such operations only.
//
// map_vectors hands f whole vectors (what is missing at the end of a row is filled up with zeros and thrown away),
// map_scalars one element at a time, of any types. unary, unary_number and binary make the result too.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>

#include "tensor/kernels/simd.h"
#include "tensor/profile.h"
#include "tensor/tensor.h"

namespace heed::detail {

// A loop over n elements of each operand; at[0] is the result. f is the function object that it calls.
using RowLoop = void (*)(const void* f, void* const* at, int64_t n);

// y = loop of the inputs, at most three, each broadcast to y's shape. y may be one of them. n is a multiple of
// `multiple`, which divides 64.
void run_rows(RowLoop loop, const void* f, int64_t multiple, Tensor& y, std::initializer_list<const Tensor*> inputs);

void copy_rows(Tensor& y, const Tensor& x);  // y = x, of one dtype
void* first_of(const Tensor& t);             // data(), of any dtype

// The loops of one operation by dtype, f32 f64 i64; null where there is none (DTypeError).
using LoopByType = std::array<RowLoop, 3>;
// A new tensor of the inputs' dtype and common shape: their vectors through the loop.
Tensor run_new(const char* name, const LoopByType& loops, const void* f, std::initializer_list<const Tensor*> inputs);

// How far ahead a loop asks for its input: an expensive f hides the way from memory behind itself.
template <class T>
constexpr int64_t kAhead = 4096 / static_cast<int64_t>(sizeof(T));

template <class T, class F>
void vector_loop1(const void* context, void* const* at, int64_t n) {
  const F f = *static_cast<const F*>(context);
  T* y = static_cast<T*>(at[0]);
  const T* x = static_cast<const T*>(at[1]);
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    __builtin_prefetch(x + i + kAhead<T>);
    __builtin_prefetch(y + i + kAhead<T> / 2, 1);
    store(y + i, f(load(x + i)));
  }
}
template <class T, class F>
void vector_loop2(const void* context, void* const* at, int64_t n) {
  const F f = *static_cast<const F*>(context);
  T* y = static_cast<T*>(at[0]);
  const T *a = static_cast<const T*>(at[1]), *b = static_cast<const T*>(at[2]);
  for (int64_t i = 0; i < n; i += kLanes<T>) store(y + i, f(load(a + i), load(b + i)));
}

// y = f(x) and y = f(a, b), lanes at a time. y may be an input.
template <class T, class F>
void map_vectors(Tensor& y, const Tensor& x, const F& f) {
  run_rows(vector_loop1<T, F>, &f, kLanes<T>, y, {&x});
}
template <class T, class F>
void map_vectors(Tensor& y, const Tensor& a, const Tensor& b, const F& f) {
  run_rows(vector_loop2<T, F>, &f, kLanes<T>, y, {&a, &b});
}

// y_i = f(a_i) and y_i = f(a_i, b_i) with any types: comparisons, casts, functions of the C library.
template <class R, class A, class F>
void map_scalars(Tensor& y, const Tensor& a, const F& given) {
  RowLoop loop = [](const void* context, void* const* at, int64_t n) {
    const F f = *static_cast<const F*>(context);
    R* out = static_cast<R*>(at[0]);
    const A* in = static_cast<const A*>(at[1]);
    for (int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
  };
  run_rows(loop, &given, 1, y, {&a});
}
template <class R, class A, class B, class F>
void map_scalars(Tensor& y, const Tensor& a, const Tensor& b, const F& given) {
  RowLoop loop = [](const void* context, void* const* at, int64_t n) {
    const F f = *static_cast<const F*>(context);
    R* out = static_cast<R*>(at[0]);
    const A* pa = static_cast<const A*>(at[1]);
    const B* pb = static_cast<const B*>(at[2]);
    for (int64_t i = 0; i < n; ++i) out[i] = f(pa[i], pb[i]);
  };
  run_rows(loop, &given, 1, y, {&a, &b});
}

// y = f(x) on f32 and f64; f takes a zero of the type and a vector, and gives a vector.
template <class F>
Tensor unary(const char* name, const Tensor& x, const F& f) {
  auto typed = [f](auto zero) { return [f, zero](auto v) { return f(zero, v); }; };
  using F32 = decltype(typed(float{}));
  using F64 = decltype(typed(double{}));
  auto f32 = typed(float{});
  auto f64 = typed(double{});
  const void* context = x.dtype() == DType::f32 ? static_cast<const void*>(&f32) : &f64;
  return run_new(name, {vector_loop1<float, F32>, vector_loop1<double, F64>, nullptr}, context, {&x});
}

// The same for operations that i64 has too; f takes and gives vectors.
template <class F>
Tensor unary_number(const char* name, const Tensor& x, const F& f) {
  return run_new(name, {vector_loop1<float, F>, vector_loop1<double, F>, vector_loop1<int64_t, F>}, &f, {&x});
}
template <class F>
Tensor binary(const char* name, const Tensor& a, const Tensor& b, const F& f) {
  return run_new(name, {vector_loop2<float, F>, vector_loop2<double, F>, vector_loop2<int64_t, F>}, &f, {&a, &b});
}

// y_i = f(x_i) on f32 and f64, one element at a time.
template <class F>
Tensor unary_scalar(const char* name, const Tensor& x, const F& f) {
  Kernel kernel(name, x.count());
  return dispatch_float(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty(x.shape(), x.dtype());
    map_scalars<T, T>(y, x, f);
    return y;
  });
}

// DTypeError in the name of the operation unless m is bool.
void require_bool(const char* name, const Tensor& m);

}  // namespace heed::detail
