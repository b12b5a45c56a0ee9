#include "tensor/crowd.h"

#include <algorithm>
#include <utility>

namespace heed {
namespace {

constexpr double kShortWait = 0.5e-3;  // seconds; what is shorter may be anything

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);  // of a thread that has ended: leaves 0
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

void Crowd::noticed(Time now, int threads) {
  bool soon = out_ > 0 && now < until_ + period_;
  period_ = soon ? std::min(2 * period_, kLongest) : kShortest;
  out_ = std::min(now < until_ ? out_ + 1 : 1, threads - 1);
  until_ = now + period_;
}

Watch::Watch(std::vector<clockid_t> clocks) : clocks_(std::move(clocks)), start_(std::chrono::steady_clock::now()) {
  for (clockid_t clock : clocks_) worked_.push_back(seconds_of(clock));
}

bool Watch::in_vain() const {
  double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(), most = 0;
  for (size_t i = 0; i < clocks_.size(); ++i) most = std::max(most, seconds_of(clocks_[i]) - worked_[i]);
  return !clocks_.empty() && waited > kShortWait && most < waited / 2;
}

}  // namespace heed
