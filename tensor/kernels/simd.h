// Vectors of 64 bytes through the compiler's vector extensions: 16 floats or 8 doubles, on every machine.
//
// The width is the same for every instruction set; a machine with shorter registers uses two or four of them. So the
// order of every reduction, and with it every bit of the result, is the same everywhere. The last, incomplete vector of
// a row goes through the same code with zeros in the unused lanes, never through the scalar library.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

namespace heed {

typedef float F32x16 __attribute__((vector_size(64)));
typedef double F64x8 __attribute__((vector_size(64)));
typedef int32_t I32x16 __attribute__((vector_size(64)));
typedef int64_t I64x8 __attribute__((vector_size(64)));

template <class T>
struct VecOf;
template <>
struct VecOf<float> {
  using V = F32x16;
  using I = I32x16;
};
template <>
struct VecOf<double> {
  using V = F64x8;
  using I = I64x8;
};
template <>
struct VecOf<int64_t> {
  using V = I64x8;
  using I = I64x8;
};
template <class T>
using Vec = typename VecOf<T>::V;
template <class T>
constexpr int64_t kLanes = static_cast<int64_t>(64 / sizeof(T));

template <class T>
inline Vec<T> load(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline Vec<T> load_first(const T* p, int64_t n) {  // the first n lanes, the others zero
  Vec<T> v = {};
  std::memcpy(&v, p, static_cast<size_t>(n) * sizeof(T));
  return v;
}
template <class T>
inline void store(T* p, Vec<T> v) {
  std::memcpy(p, &v, sizeof v);
}
template <class T>
inline void store_first(T* p, Vec<T> v, int64_t n) {
  std::memcpy(p, &v, static_cast<size_t>(n) * sizeof(T));
}

template <class T>
inline Vec<T> splat(T x) {
  return x - Vec<T>{};
}  // x - 0 keeps every x, -0 included

// N lanes of v, starting at lane FROM.
template <int FROM, class V, int... I>
inline auto part_of(V v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, FROM + I...);
}
// Reduces all lanes of v to one number in a fixed tree, the same on every machine: lane i with lane i + N / 2, and so
// on.
template <int N, class V, class F>
inline auto fold_lanes(V v, F f) {
  constexpr auto half = std::make_integer_sequence<int, N / 2>{};
  if constexpr (N == 2)
    return f(v[0], v[1]);
  else
    return fold_lanes<N / 2>(f(part_of<0>(v, half), part_of<N / 2>(v, half)), f);
}
template <class T>
inline T add_lanes(Vec<T> v) {
  return fold_lanes<static_cast<int>(kLanes<T>)>(v, [](auto a, auto b) { return a + b; });
}
template <class T>
inline T greatest_lane(Vec<T> v) {  // of a NaN and a number, the one in the higher lane
  return fold_lanes<static_cast<int>(kLanes<T>)>(v, [](auto a, auto b) { return a > b ? a : b; });
}

template <class V>
inline V vmax(V a, V b) {
  return a > b ? a : b;
}  // a NaN in a is lost; callers that need it test for it first
template <class V>
inline V vmin(V a, V b) {
  return a < b ? a : b;
}
inline F32x16 vabs(F32x16 x) { return reinterpret_cast<F32x16>(reinterpret_cast<I32x16>(x) & (I32x16{} + INT32_MAX)); }
inline F64x8 vabs(F64x8 x) { return reinterpret_cast<F64x8>(reinterpret_cast<I64x8>(x) & (I64x8{} + INT64_MAX)); }
inline I64x8 vabs(I64x8 x) { return x < I64x8{} ? -x : x; }

}  // namespace heed
