// Inputs that are hard for floating-point arithmetic. All of them come from one seed, so that a row can be repeated.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed::accuracy {

template <class T>
using Values = std::vector<T>;

template <class T>
Tensor tensor_of(const Values<T>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

// n numbers f(0), f(1), ...
template <class T, class F>
Values<T> values(int64_t n, const F& f) {
  Values<T> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = static_cast<T>(f(i));
  return out;
}

// Any size from 2^low to 2^high is as likely as any other; both signs, or one.
template <class T>
Values<T> all_sizes(int64_t n, double low, double high, Generator& rng, bool negative_too = true) {
  return values<T>(n, [&](int64_t) {
    double size = std::exp2(low + (high - low) * rng.uniform());
    return negative_too && rng.uniform() < 0.5 ? -size : size;
  });
}

template <class T>
Values<T> normal(int64_t n, double mean, double deviation, Generator& rng) {
  return values<T>(n, [&](int64_t) { return mean + deviation * rng.normal(); });
}

template <class T>
Values<T> uniform(int64_t n, double low, double high, Generator& rng) {
  return values<T>(n, [&](int64_t) { return low + (high - low) * rng.uniform(); });
}

// The n numbers of T around each of the places, in steps of one unit in the last place.
template <class T>
Values<T> neighbours(const std::vector<double>& places, int64_t n) {
  Values<T> out;
  for (double place : places) {
    T x = static_cast<T>(place);
    for (int64_t i = 0; i < n / 2; ++i) x = std::nextafter(x, -std::numeric_limits<T>::infinity());
    for (int64_t i = 0; i < n; ++i) {
      if (std::isfinite(x)) out.push_back(x);
      x = std::nextafter(x, std::numeric_limits<T>::infinity());
    }
  }
  return out;
}

// The rows that softmax, logsumexp and cross-entropy are tried on.
template <class T>
std::vector<std::pair<std::string, Values<T>>> hard_rows(int64_t n, Generator& rng) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  Values<T> one_huge = normal<T>(n, 0, 1, rng), lone(static_cast<size_t>(n), -inf);
  one_huge[static_cast<size_t>(n / 2)] = std::numeric_limits<T>::max() / 2;
  lone[static_cast<size_t>(n / 3)] = T{3.25};
  return {{"all equal", Values<T>(static_cast<size_t>(n), static_cast<T>(-7.3))},
          {"one huge", one_huge},
          {"all -inf but one", lone},
          {"normal", normal<T>(n, 0, 3, rng)},
          {"around 1e4", normal<T>(n, 1e4, 3, rng)},
          {"spread of 1e4", values<T>(n, [&](int64_t) { return 1e4 * (rng.uniform() - 0.5); })},
          {"denormals",
           all_sizes<T>(n, std::numeric_limits<T>::min_exponent - 20, std::numeric_limits<T>::min_exponent, rng)}};
}

}  // namespace heed::accuracy
