// Sums that keep their digits, however long they are.
//
// In one long chain the total grows until each number added to it is rounded to the total's last place: the sum of
// 10^7 terms 0.1 in f32 becomes 1,087,937. So a chain ends after kRun additions, and the sums of these runs are added
// in a binary tree, whose error grows with log n (Higham, SIAM J. Sci. Comput. 14, 1993): the sum becomes 999,999.4.
//
// The tree depends on the length alone, so the bits do not depend on the number of threads. Zeros appended as padding
// change no bit: adding them changes no run and no partial sum, and the partial sums are added in the same order.
#pragma once

#include <algorithm>

#include "tensor/kernels/machine.h"

namespace heed {

constexpr int64_t kRun = 64;  // additions in a run

// The sums of V chains side by side. If bit k of runs_ is set, level_[k] holds the sum of 2^k runs. Adding a run
// carries from level to level, as adding 1 to a binary number does.
template <class T, int R, int V>
class RunSums {
 public:
  void add(const Lanes<T, R> (&run)[V]) {
    Lanes<T, R> carry[V];
    std::copy(run, run + V, carry);
    int k = 0;
    for (; runs_ >> k & 1; ++k)
      for (int j = 0; j < V; ++j) carry[j] = level_[k][j] + carry[j];
    std::copy(carry, carry + V, level_[k]);
    ++runs_;
  }
  void total(Lanes<T, R> (&sum)[V]) const {
    std::fill(sum, sum + V, Lanes<T, R>{});
    for (int k = 0; runs_ >> k; ++k)
      if (runs_ >> k & 1)
        for (int j = 0; j < V; ++j) sum[j] = level_[k][j] + sum[j];
  }

 private:
  int64_t runs_ = 0;
  Lanes<T, R> level_[40][V];  // memory holds fewer than 2^40 runs
};

// Sum of f(i, n) over a row of N elements, a vector at a time: f gives the elements i, ..., i + n - 1, and zeros in the
// other lanes. V vectors in turn are V independent chains, which keep the adders busy. f should capture by value:
// captured references would be loaded again after every store.
template <class T, int V, int R, class F, int... K>
inline T sum_chains(int64_t N, F f, Lanes<T, R>, std::integer_sequence<int, K...>) {
  constexpr int64_t L = kLanes<T>, kLength = kRun * V * L;
  RunSums<T, R, V> sums;
  Lanes<T, R> sum[V];
  for (int64_t i = 0;;) {
    Lanes<T, R> run[V] = {};
    int64_t end = std::min(N, i + kLength);
    for (; i + V * L <= end; i += V * L) ((run[K] += f(i + K * L, L)), ...);
    ((end - i > K * L ? run[K] += f(i + K * L, std::min(L, end - i - K * L)) : run[K]), ...);
    ((sum[K] = run[K]), ...);
    if (N <= kLength) break;  // most rows are one run
    sums.add(sum);
    i = end;
    if (i < N) continue;
    sums.total(sum);
    break;
  }
  for (int width = 1; width < V; width *= 2)
    for (int k = 0; k < V; k += 2 * width) sum[k] += sum[k + width];
  return add_lanes(sum[0]);
}
template <class T, int V, class F>
inline T sum_over(int64_t N, const F& f) {
  return sum_chains<T, V>(N, f, decltype(f(int64_t{}, int64_t{})){}, std::make_integer_sequence<int, V>{});
}

// y [V vectors, n elements in the last] = sum over rows r < rows of f(r, column, n), the vector of row r from `column`
// on.
template <int V, int R, class T, class F>
inline void sum_rows(int64_t rows, int64_t n, T* y, const F& f) {
  constexpr int64_t L = kLanes<T>;
  RunSums<T, R, V> sums;
  for (int64_t r = 0; r < rows;) {
    Lanes<T, R> run[V] = {};
    for (int64_t end = std::min(rows, r + kRun); r < end; ++r)
      for (int64_t k = 0; k < V; ++k) run[k] += f(r, k * L, k + 1 < V ? L : n);
    sums.add(run);
  }
  Lanes<T, R> sum[V];
  sums.total(sum);
  for (int64_t k = 0; k < V; ++k) put(y + k * L, sum[k], k + 1 < V ? L : n);
}

// y [A, I], the sums over r < rows of f.operator()<R>(a, r, column, n): n elements of row r of block a, from a column
// on. A strip of columns stays in registers while the rows stream by. It is four vectors wide: one alone would use a
// single cache line of every row, and long rows lie in a page each.
template <class T, class F>
void sum_columns(int64_t A, int64_t rows, int64_t I, T* y, const F& f) {
  constexpr int64_t L = kLanes<T>, W = 4 * L;
  int64_t strips = (I + W - 1) / W, grain = std::max<int64_t>(1, 32768 / (std::max<int64_t>(rows, 1) * W));
  vectorised_for(0, A * strips, grain, [&]<int R>(int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      int64_t a = s / strips, column = s % strips * W, last = std::min(column + W, I);
      auto from = [&](int64_t r, int64_t c, int64_t n) { return f.template operator()<R>(a, r, column + c, n); };
      if (last - column == W) {
        sum_rows<4, R>(rows, L, y + a * I + column, from);
        continue;
      }
      for (; column < last; column += L) sum_rows<1, R>(rows, std::min(L, last - column), y + a * I + column, from);
    }
  });
}

}  // namespace heed
