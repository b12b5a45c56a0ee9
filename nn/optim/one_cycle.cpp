#include "nn/optim/one_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed::nn {

OneCycle::OneCycle(const Options& options) : options_(options) { start(); }
void OneCycle::check() const {
  if (options_.three_phase && options_.rise > 0.5)
    throw ValueError(
        fmt::format("{}: the rise of three phases must be at most half of the steps; got {}", kind(), options_.rise));
}
double OneCycle::operator()(int64_t step) const {
  const Options& o = options_;
  auto steps = static_cast<double>(o.total);
  double start = o.peak / o.start_divisor, end = start / o.end_divisor, top = o.rise * steps - 1, last = steps - 1;
  double t = std::min(static_cast<double>(step - 1), last);
  auto between = [&](double from, double to, double t0, double t1) {
    double x = t1 > t0 ? (t - t0) / (t1 - t0) : 1;
    return o.linear ? from + (to - from) * x : to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * x));
  };
  if (t <= top) return between(start, o.peak, 0, top);
  if (!o.three_phase) return between(o.peak, end, top, last);
  double back = 2 * top;
  return t <= back ? between(o.peak, start, top, back) : between(start, end, back, last);
}

}  // namespace heed::nn
