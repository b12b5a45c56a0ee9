// Do other programs need the processors that our threads run on? A thread whose processor runs another program stops
// for some milliseconds, and the other threads wait for its piece of the loop, which can cost more than they gain:
//
//   caller    [ its piece ][ waits                          ][ next loop
//   worker    [ half of its piece ]  another program runs    [ the rest ]
//
// After such a wait the loops are cut into one piece fewer for a while. If it happens again soon, for twice as long.
#pragma once

#include <ctime>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace heed {

class Crowd {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kShortest{16}, kLongest{1024};

  // A caller with this number of threads has waited for one that had no processor.
  void noticed(Time now, int threads);
  // How many threads a loop that begins now should leave out.
  int left_out() const { return out_ == 0 ? 0 : left_out(std::chrono::steady_clock::now()); }
  int left_out(Time now) const { return now < until_ ? out_ : 0; }

 private:
  Time until_{};
  std::chrono::milliseconds period_ = kShortest;
  int out_ = 0;
};

// Watches a long wait for some threads: did none of them have a processor for half of the time? Always false if the
// system does not tell the processor time of another thread (macOS).
// Takes no memory while a wait lasts: an exception would leave the loop before its pieces are finished.
class Watch {
 public:
  explicit Watch(size_t most) { threads_.reserve(most); }
  void begin();
  void add(std::thread& thread);
  bool in_vain() const;

 private:
  struct Thread {
    clockid_t clock;
    double worked;  // seconds, when the wait began
  };
  std::vector<Thread> threads_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace heed
