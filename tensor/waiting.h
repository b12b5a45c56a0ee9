// How a thread waits for another one. It first spins for some microseconds, because the next kernel usually follows at
// once; then it yields its processor; then it sleeps:
//
//   spin  10 us [                yield  500 us                 ][ sleep until woken
//
// If another program wants the processor, a yield lasts until that program has had its turn of milliseconds. After such
// a yield, for 100 ms, threads sleep without yielding first: the system runs a thread that wakes up soon, and gives the
// processor of a sleeping thread to one that waits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace heed {

using Nanoseconds = int64_t;
// How long a thread yields before it sleeps. A yield of this length was the turn of another thread.
constexpr Nanoseconds kSoon = 500'000;
// For how long after that threads sleep without yielding first.
constexpr Nanoseconds kCrowded = 100'000'000;
inline std::atomic<Nanoseconds> crowded_until{0};

inline Nanoseconds nanoseconds_now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits awake until `value` is no longer `old`; false if it still is, and the thread should sleep.
template <class T>
bool changes_soon(const std::atomic<T>& value, T old) {
  constexpr int kSpins = 400;
  for (int spin = 0; spin < kSpins; ++spin, relax())
    if (value.load(std::memory_order_acquire) != old) return true;
  const Nanoseconds start = nanoseconds_now();
  if (start < crowded_until.load(std::memory_order_relaxed)) return false;
  for (Nanoseconds before = start, after = start; after < start + kSoon; before = after) {
    std::this_thread::yield();
    if (value.load(std::memory_order_acquire) != old) return true;
    after = nanoseconds_now();
    if (after > before + kSoon) crowded_until.store(after + kCrowded, std::memory_order_relaxed);
  }
  return false;
}
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  if (!changes_soon(value, old)) value.wait(old, std::memory_order_acquire);
}

// Adds the time from its construction to its destruction to `sum`, if there is one.
class Stretch {
 public:
  explicit Stretch(std::atomic<Nanoseconds>* sum) : sum_(sum), start_(sum ? nanoseconds_now() : 0) {}
  ~Stretch() {
    if (sum_) *sum_ += nanoseconds_now() - start_;
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

 private:
  std::atomic<Nanoseconds>* sum_;
  Nanoseconds start_;
};

}  // namespace heed
