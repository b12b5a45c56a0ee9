// The threads of a program that compute loops at the same time. Each has a place while its loop runs, and keeps it for
// half a millisecond more: the next loop usually follows at once, so its processor is not free for others.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <thread>

#include "tensor/waiting.h"

namespace heed {

constexpr size_t kCallers = 16;  // further callers compute their loops alone

class Places {
 public:
  bool take(size_t i) {
    Nanoseconds until = until_[i].load(std::memory_order_relaxed);
    return until != kRunning && until_[i].compare_exchange_strong(until, kRunning, std::memory_order_acquire);
  }
  void leave(size_t i, Nanoseconds until) { until_[i].store(until, std::memory_order_release); }
  // Waits for the loops that run. Loops that begin meanwhile are computed by their callers alone.
  void take_all() {
    closed_.fetch_add(1, std::memory_order_relaxed);
    for (size_t i = 0; i < kCallers; ++i)
      while (!take(i)) std::this_thread::yield();
  }
  void leave_all() {
    for (size_t i = 0; i < kCallers; ++i) leave(i, 0);
    closed_.fetch_sub(1, std::memory_order_relaxed);
  }
  bool closed() const { return closed_.load(std::memory_order_relaxed) > 0; }
  // The number of callers beside the one that asks, whose loop runs.
  int others(Nanoseconds now) const {
    int count = -1;
    for (const auto& until : until_) count += until.load(std::memory_order_relaxed) > now;
    return count;
  }

 private:
  static constexpr Nanoseconds kRunning = std::numeric_limits<Nanoseconds>::max();
  std::array<std::atomic<Nanoseconds>, kCallers> until_{};
  std::atomic<int> closed_{0};  // threads in take_all
};

// The place of the calling thread while its loop runs: the same one as before, if nobody else has it now.
class Place {
 public:
  explicit Place(Places& places) : places_(places) {
    thread_local size_t last = 0;
    for (size_t n = 0; n < kCallers && !has_ && !places_.closed(); ++n) {
      index_ = (last + n) % kCallers;
      has_ = places_.take(index_);
    }
    if (has_) last = index_;
  }
  ~Place() {
    if (has_) places_.leave(index_, nanoseconds_now() + kSoon);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  explicit operator bool() const { return has_; }
  size_t index() const { return index_; }

 private:
  Places& places_;
  size_t index_ = 0;
  bool has_ = false;
};

}  // namespace heed
