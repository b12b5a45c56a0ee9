// One pass over the memory of a parameter: its values, its slots and its gradient are read once, 64 bytes at a time,
// and values and slots are written once. Threads share the pieces of a large parameter; the result has the same bits
// for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/kernels/machine.h"
#include "tensor/tensor.h"

namespace heed::nn {

template <class T, int R>
inline Lanes<T, R> vsqrt(Lanes<T, R> x) {
  alignas(64) T lanes[kLanes<T>];
  store(lanes, x);
  for (T& v : lanes) v = std::sqrt(v);
  return load<R>(lanes);
}

// A gradient counts as at most sqrt(M) / 2, M the largest number of T, so that its square is finite: a mean of squares
// that is infinite once stays so, and the parameter would never move again. Infinities stay, so that they are noticed.
template <class T, int R>
inline Lanes<T, R> with_square(Lanes<T, R> g) {
  constexpr T largest = std::numeric_limits<T>::max();
  const T most = std::sqrt(largest) / 2;
  Lanes<T, R> size = abs(g), end = where(g > 0, Lanes<T, R>(most), Lanes<T, R>(-most));
  return where((size > most) & (size <= largest), end, g);
}

// At the other end, the square of a gradient is lost below sqrt(m), m the smallest normal number of T. With an eps
// smaller than that, such a gradient would be divided by almost 0 instead of its own size. So eps, which is added to
// root sqrt(s), counts as at least root sqrt(m).
template <class T>
T least_eps(double eps, double root = 1) {
  return std::max(static_cast<T>(eps), static_cast<T>(std::sqrt(std::numeric_limits<T>::min()) * root));
}

// Pointers to the parameter and to its first K - 1 slots.
template <class T, size_t K>
std::array<T*, K> memory_of(Tensor& w, std::vector<Tensor>& slots) {
  std::array<T*, K> out{w.data<T>()};
  for (size_t k = 1; k < K; ++k) out[k] = slots[k - 1].data<T>();
  return out;
}

// Calls step(x, g) for each vector of elements: x[0] is the parameter, x[1..] its slots, all to be changed in place.
template <class T, size_t K, class F>
void each_vector(const std::array<T*, K>& memory, const T* g, int64_t n, const F& step) {
  constexpr int64_t lanes = kLanes<T>;
  vectorised_for(0, (n + lanes - 1) / lanes, 32768 / lanes, [&]<int R>(int64_t begin, int64_t end) {
    F f = step;  // a local copy, to which no store below can point: the compiler may keep it in registers
    std::array<T*, K> p = memory;
    for (int64_t i = begin * lanes; i < end * lanes; i += lanes) {
      Lanes<T, R> x[K];
      if (int64_t left = n - i; left >= lanes) {
        for (size_t k = 0; k < K; ++k) x[k] = load<R>(p[k] + i);
        f(x, load<R>(g + i));
        for (size_t k = 0; k < K; ++k) store(p[k] + i, x[k]);
      } else {
        for (size_t k = 0; k < K; ++k) x[k] = load_first<R>(p[k] + i, left);
        f(x, load_first<R>(g + i, left));
        for (size_t k = 0; k < K; ++k) store_first(p[k] + i, x[k], left);
      }
    }
  });
}

}  // namespace heed::nn
