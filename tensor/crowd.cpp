#include "tensor/crowd.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

namespace heed {
namespace {

constexpr double kShortWait = 0.5e-3;  // seconds; shorter waits have many causes

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);  // leaves 0 if the thread has ended
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

void Crowd::noticed(Time now, int threads) {
  bool soon = out_ > 0 && now < until_ + period_;
  period_ = soon ? std::min(2 * period_, kLongest) : kShortest;
  out_ = std::min(now < until_ ? out_ + 1 : 1, threads - 1);
  until_ = now + period_;
}

void Watch::begin() {
  threads_.clear();
  start_ = std::chrono::steady_clock::now();
}

void Watch::add([[maybe_unused]] std::thread& thread) {
#if defined(_POSIX_THREAD_CPUTIME) && _POSIX_THREAD_CPUTIME >= 0
  if (clockid_t clock; pthread_getcpuclockid(thread.native_handle(), &clock) == 0)
    threads_.push_back({clock, seconds_of(clock)});
#endif
}

bool Watch::in_vain() const {
  double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(), most = 0;
  for (const Thread& t : threads_) most = std::max(most, seconds_of(t.clock) - t.worked);
  return !threads_.empty() && waited > kShortWait && most < waited / 2;
}

}  // namespace heed
