// Speeds. A clock measures the program together with everything else that the machine does, so we take the fastest of
// several runs, and no claim depends on it.
//
//   GFLOP/s = 2 M N K / seconds / 10^9       a multiply-add is two operations
#pragma once

#include <array>
#include <chrono>
#include <functional>

#include "tensor/kernels/simd.h"
#include "tensor/thread_pool.h"

namespace heed {

// Seconds of the fastest run. At least three runs, and as many as fit into `budget` seconds, after one to warm up.
inline double best_seconds(const std::function<void()>& work, double budget) {
  using Clock = std::chrono::steady_clock;
  auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  work();
  double best = 1e30;
  Clock::time_point start = Clock::now();
  for (int run = 0; run < 3 || seconds_since(start) < budget; ++run) {
    Clock::time_point begin = Clock::now();
    work();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

// The peak of the machine: multiply-adds on sums that never leave the registers. Each multiply-add of a sum has to wait
// for the one before, so several sums are computed side by side, as many as fit into the registers. They start with
// different values, because the compiler would otherwise merge them into one.
#if defined(__AVX512F__)
constexpr size_t kChains = 12;
#elif defined(__aarch64__)
constexpr size_t kChains = 6;
#elif defined(__AVX__)
constexpr size_t kChains = 5;
#else
constexpr size_t kChains = 3;
#endif

inline volatile float chains_end;  // the result is written here, so the compiler cannot skip the computation

inline double peak_gflops(int threads, double budget) {
  constexpr int64_t kRounds = 100'000;
  auto chains = [](int64_t first, int64_t last) {
    for (int64_t thread = first; thread < last; ++thread) {
      std::array<Lanes<float>, kChains> sums;
      for (size_t i = 0; i < kChains; ++i) sums[i] = static_cast<float>(i);
      Lanes<float> a = 0.999F, b = 1e-3F;
      for (int64_t round = 0; round < kRounds; ++round)
        for (Lanes<float>& x : sums) x = x * a + b;
      for (size_t i = 1; i < kChains; ++i) sums[0] += sums[i];
      chains_end = add_lanes(sums[0]);
    }
  };
  double seconds = best_seconds([&] { parallel_for(0, threads, 1, chains); }, budget);
  return 2e-9 * static_cast<double>(kLanes<float> * kRounds) * static_cast<double>(kChains) * threads / seconds;
}

}  // namespace heed
