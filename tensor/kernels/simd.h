// Lanes<T, R>: a vector of 64 bytes, 16 floats or 8 doubles, in registers of R bytes. Its operators work on all lanes
// at once.
//
//   Lanes<float, R> y = where(x < 0, 0, x * s + 1);  // a comparison gives a mask of integers, 0 or -1 in each lane
//
// The width is the same for every R. So the order of every reduction, and with it every bit of the result, is the same
// everywhere. Where a register is narrower, Lanes is two halves, each of them a register or two halves again:
// in the compiler's own vectors of 64 bytes, GCC splits a comparison or selection that is wider than a register into
// single numbers (exp took six times as long with AVX2).
//
// The last, incomplete vector of a row goes through the same code with padding (usually zeros) in the unused lanes, so
// exp and the others give the same bits in every lane.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace heed {

#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif

template <class T>
constexpr int64_t kLanes = static_cast<int64_t>(64 / sizeof(T));

template <class T, int R = kRegisterBytes, int N = static_cast<int>(kLanes<T>)>
struct Lanes;

// The storage of N numbers: a register, or two halves.
template <class T, int R, int N, bool register_holds = N * sizeof(T) <= R>
struct LanesHolder {
  typedef T Register __attribute__((vector_size(N * sizeof(T))));
  Register v;
};
template <class T, int R, int N>
struct LanesHolder<T, R, N, false> {
  Lanes<T, R, N / 2> low, high;
};

template <class T>
using MaskElement = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// f applied register by register; a result has elements of type R.
template <class E, class F, class T, int R, int N, class... More>
[[gnu::always_inline]] inline Lanes<E, R, N> by_register(F f, Lanes<T, R, N> a, More... more) {
  Lanes<E, R, N> y;
  if constexpr (requires { a.v; }) {
    y.v = reinterpret_cast<typename Lanes<E, R, N>::Register>(f(a.v, more.v...));
  } else {
    y.low = by_register<E>(f, a.low, more.low...);
    y.high = by_register<E>(f, a.high, more.high...);
  }
  return y;
}

// x in every lane. In a function that is compiled for narrower registers and inlined where they are wider, GCC would
// build {x, x, ...} number by number. Of these two forms the first is for constants; with a variable it goes through
// memory.
template <class Register, class T, int... I>
[[gnu::always_inline]] inline Register repeated(T x, std::integer_sequence<int, I...>) {
  if (__builtin_constant_p(x)) {
    typedef T Least __attribute__((vector_size(16)));
    Least first = x - Least{};  // x - 0 keeps every x, -0 included
    return __builtin_shufflevector(first, first, (0 * I)...);
  }
  Register first = {x};
  return __builtin_shufflevector(first, first, (0 * I)...);
}

template <class T, int R, int N>
struct Lanes : LanesHolder<T, R, N> {
  using Mask = Lanes<MaskElement<T>, R, N>;

  Lanes() = default;  // Lanes<T> x = {}: zeros
  template <class S>
  requires std::is_arithmetic_v<S>
  [[gnu::always_inline]] Lanes(S s) {  // NOLINT: implicit, so that a number may stand wherever Lanes may
    T x = static_cast<T>(s);
    if constexpr (requires { this->v; })
      this->v = repeated<typename LanesHolder<T, R, N>::Register>(x, std::make_integer_sequence<int, N>{});
    else
      this->low = this->high = x;
  }

  // clang-format off
  friend Lanes operator+(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p + q; }, a, b); }
  friend Lanes operator-(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p - q; }, a, b); }
  friend Lanes operator*(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p * q; }, a, b); }
  friend Lanes operator/(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p / q; }, a, b); }
  friend Lanes operator&(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p & q; }, a, b); }
  friend Lanes operator|(Lanes a, Lanes b) { return by_register<T>([](auto p, auto q) { return p | q; }, a, b); }
  friend Lanes operator<<(Lanes a, int n) { return by_register<T>([n](auto p) { return p << n; }, a); }
  friend Lanes operator>>(Lanes a, int n) { return by_register<T>([n](auto p) { return p >> n; }, a); }
  friend Lanes operator-(Lanes a) { return by_register<T>([](auto p) { return -p; }, a); }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }

  using I = MaskElement<T>;
  friend Mask operator==(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p == q; }, a, b); }
  friend Mask operator!=(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p != q; }, a, b); }
  friend Mask operator<(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p < q; }, a, b); }
  friend Mask operator>(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p > q; }, a, b); }
  friend Mask operator<=(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p <= q; }, a, b); }
  friend Mask operator>=(Lanes a, Lanes b) { return by_register<I>([](auto p, auto q) { return p >= q; }, a, b); }
  friend Lanes where(Mask mask, Lanes a, Lanes b) {  // mask ? a : b in each lane
    return by_register<T>([](auto m, auto p, auto q) { return m ? p : q; }, mask, a, b);
  }
  // clang-format on
};

// As much memory as a register, at any alignment. With memcpy GCC would take a detour by the stack.
template <class Register>
struct __attribute__((packed, may_alias)) Anywhere {
  Register v;
};
template <class T, int R, int N>
[[gnu::always_inline]] inline void load_into(Lanes<T, R, N>& x, const T* p) {
  if constexpr (requires { x.v; })
    x.v = reinterpret_cast<const Anywhere<typename Lanes<T, R, N>::Register>*>(p)->v;
  else
    load_into(x.low, p), load_into(x.high, p + N / 2);
}
template <class T, int R, int N>
[[gnu::always_inline]] inline void store(T* p, Lanes<T, R, N> x) {
  if constexpr (requires { x.v; })
    reinterpret_cast<Anywhere<typename Lanes<T, R, N>::Register>*>(p)->v = x.v;
  else
    store(p, x.low), store(p + N / 2, x.high);
}
template <int R = kRegisterBytes, class T>
[[gnu::always_inline]] inline Lanes<T, R> load(const T* p) {
  Lanes<T, R> x;
  load_into(x, p);
  return x;
}
template <int R = kRegisterBytes, class T>
inline Lanes<T, R> load_first(const T* p, int64_t n) {  // the first n lanes, the others zero
  Lanes<T, R> v = {};
  std::memcpy(&v, p, static_cast<size_t>(n) * sizeof(T));
  return v;
}
template <class T, int R>
inline void store_first(T* p, Lanes<T, R> v, int64_t n) {
  std::memcpy(p, &v, static_cast<size_t>(n) * sizeof(T));
}
// The same, where n is nearly always all lanes: that is a size which the compiler knows.
template <int R = kRegisterBytes, class T>
inline Lanes<T, R> take(const T* p, int64_t n) {
  return n == kLanes<T> ? load<R>(p) : load_first<R>(p, n);
}
template <class T, int R>
inline void put(T* p, Lanes<T, R> v, int64_t n) {
  n == kLanes<T> ? store(p, v) : store_first(p, v, n);
}

// The same bits as numbers of another type.
template <class E, class T, int R, int N>
inline Lanes<E, R, N> bits_as(Lanes<T, R, N> x) {
  return by_register<E>([](auto p) { return p; }, x);
}
// The same values as numbers of another type of the same size.
template <class E, class T, int R, int N>
inline Lanes<E, R, N> convert_lanes(Lanes<T, R, N> x) {
  auto convert = [](auto p) {
    typedef E Register __attribute__((vector_size(sizeof p)));
    return __builtin_convertvector(p, Register);
  };
  return by_register<E>(convert, x);
}

// 0, 1, 2, ...
template <class T, int R = kRegisterBytes>
inline Lanes<MaskElement<T>, R> lane_numbers() {
  constexpr MaskElement<T> numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return load<R>(numbers);
}
// v with zeros from lane n on.
template <class T, int R>
inline Lanes<T, R> first_lanes(Lanes<T, R> v, int64_t n) {
  return where(lane_numbers<T, R>() < n, v, 0);
}
// A mask from n bytes, each 0 or 1; false beyond them.
template <class T, int R = kRegisterBytes>
inline Lanes<MaskElement<T>, R> mask_of(const bool* p, int64_t n) {
  MaskElement<T> lanes[kLanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return load<R>(lanes) != 0;
}

// Folds all lanes into one number in a fixed tree, the same on every machine: lane i with lane i + N / 2, and so on.
template <class T, int R, int N, class F>
inline T fold_lanes(Lanes<T, R, N> v, F f) {
  if constexpr (requires { v.low; }) {
    return fold_lanes(f(v.low, v.high), f);
  } else if constexpr (N == 2) {
    return f(v.v[0], v.v[1]);
  } else {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      Lanes<T, R, N / 2> low, high;
      low.v = __builtin_shufflevector(v.v, v.v, i...);
      high.v = __builtin_shufflevector(v.v, v.v, N / 2 + i...);
      return fold_lanes(f(low, high), f);
    }
    (std::make_integer_sequence<int, N / 2>{});
  }
}
template <class T, int R, int N>
inline T add_lanes(Lanes<T, R, N> v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}
template <class T, int R, int N>
inline Lanes<T, R, N> vmax(Lanes<T, R, N> a, Lanes<T, R, N> b) {
  return where(a > b, a, b);
}  // a NaN in a is lost; callers that need it test for it first
template <class T, int R, int N>
inline T greatest_lane(Lanes<T, R, N> v) {  // of a NaN and a number, the one in the higher lane
  return fold_lanes(v, [](auto a, auto b) {
    if constexpr (std::is_arithmetic_v<decltype(a)>)
      return a > b ? a : b;
    else
      return vmax(a, b);
  });
}
template <class T, int R>
inline Lanes<T, R> abs(Lanes<T, R> x) {
  if constexpr (std::is_integral_v<T>)
    return where(x < 0, -x, x);
  else
    return bits_as<T>(bits_as<MaskElement<T>>(x) & (sizeof(T) == 4 ? INT32_MAX : INT64_MAX));
}

}  // namespace heed
