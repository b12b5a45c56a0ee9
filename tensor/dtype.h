// Element types, and the one place where a runtime type becomes a C++ type.
//
// Tensors are not promoted: combining f32 with f64 is an error. f64 exists because gradient checks in f32 prove little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "tensor/error.h"

namespace heed {

enum class DType : uint8_t { f32, f64, i64, boolean };

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};

inline const char* name_of(DType d) {
  constexpr const char* names[] = {"f32", "f64", "i64", "bool"};
  return names[static_cast<size_t>(d)];
}
inline size_t size_of(DType d) {
  constexpr size_t sizes[] = {4, 8, 8, 1};
  return sizes[static_cast<size_t>(d)];
}
inline bool is_float(DType d) { return d == DType::f32 || d == DType::f64; }

// Converts a number to another type. From floating point to integer, C++ leaves values out of range undefined; here the
// rule is the same on every machine: round towards zero, saturate at the ends of the range, and give 0 for NaN.
template <class To, class From>
inline To convert(From v) {
  if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    if (v != v) return 0;
    if (v >= From{0x1p63}) return std::numeric_limits<int64_t>::max();
    if (v < From{-0x1p63}) return std::numeric_limits<int64_t>::min();
  }
  return static_cast<To>(v);
}

[[noreturn]] void refuse_scalar(const char* operation, double s, DType dtype);
[[noreturn]] void refuse_not_float(const char* operation, DType dtype);
[[noreturn]] void refuse_not_number(const char* operation, DType dtype);

// Converts a scalar argument to the tensor's dtype. ValueError, in the name of `operation`, if an i64 or a bool cannot
// hold it: 0.5 must not silently become 0.
template <class To>
To scalar_as(const char* operation, double s) {
  if constexpr (!std::is_floating_point_v<To>)
    if (!(s < 0x1p63) || static_cast<double>(convert<To>(s)) != s) refuse_scalar(operation, s, DTypeOf<To>::value);
  return static_cast<To>(s);
}

// For operations on real numbers: DTypeError unless the dtype is f32 or f64.
inline void require_float(const char* operation, DType d) {
  if (!is_float(d)) refuse_not_float(operation, d);
}

// Calls f with a value of the C++ type: dispatch(x.dtype(), [&](auto zero) { using T = decltype(zero); ... });
template <class F>
decltype(auto) dispatch(DType d, F&& f) {
  switch (d) {
    case DType::f32:
      return f(float{});
    case DType::f64:
      return f(double{});
    case DType::i64:
      return f(int64_t{});
    case DType::boolean:
      break;
  }
  return f(bool{});
}

// The same for f32 and f64 only.
template <class F>
decltype(auto) dispatch_float(DType d, const char* operation, F&& f) {
  if (d == DType::f32) return f(float{});
  if (d == DType::f64) return f(double{});
  refuse_not_float(operation, d);
}

// The same for numbers: f32, f64 and i64.
template <class F>
decltype(auto) dispatch_number(DType d, const char* operation, F&& f) {
  if (d == DType::f32) return f(float{});
  if (d == DType::f64) return f(double{});
  if (d == DType::i64) return f(int64_t{});
  refuse_not_number(operation, d);
}

}  // namespace heed
