#include "nn/optim/warmup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

WarmupLinear::WarmupLinear(const Options& options) : options_(options) { check(); }
Fields WarmupLinear::fields() {
  return {{"peak", &options_.peak},
          {"start", &options_.start},
          {"warmup", &options_.warmup},
          {"total", &options_.total},
          {"floor", &options_.floor}};
}
void WarmupLinear::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_not_negative(kind(), "start", options_.start);
  require_not_negative(kind(), "floor", options_.floor);
  require_count(kind(), "warm-up", options_.warmup, 0);
  if (options_.total < options_.warmup || options_.total < 1)
    throw ValueError(
        fmt::format("{}: the total must be at least 1 and at least the warm-up; got {} for a warm-up of {}", kind(),
                    options_.total, options_.warmup));
}
double WarmupLinear::operator()(int64_t step) const {
  auto [peak, start, warmup, total, floor] = options_;
  int64_t t = step - 1;
  auto share = [](int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); };
  if (t < warmup) return start + (peak - start) * share(t, warmup);
  if (t >= total) return floor;
  return peak + (floor - peak) * share(t - warmup, total - warmup);
}

Noam::Noam(const Options& options) : options_(options) { check(); }
Fields Noam::fields() { return {{"width", &options_.width}, {"warmup", &options_.warmup}, {"scale", &options_.scale}}; }
void Noam::check() const {
  require_count(kind(), "width", options_.width, 1);
  require_count(kind(), "warm-up", options_.warmup, 1);
  require_positive(kind(), "scale", options_.scale);
}
double Noam::operator()(int64_t step) const {
  auto s = static_cast<double>(step), width = static_cast<double>(options_.width);
  double rise = s * std::pow(static_cast<double>(options_.warmup), -1.5);
  return options_.scale / std::sqrt(width) * std::min(1 / std::sqrt(s), rise);
}

InverseSquareRoot::InverseSquareRoot(const Options& options) : options_(options) { check(); }
Fields InverseSquareRoot::fields() { return {{"peak", &options_.peak}, {"warmup", &options_.warmup}}; }
void InverseSquareRoot::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_count(kind(), "warm-up", options_.warmup, 1);
}
double InverseSquareRoot::operator()(int64_t step) const {
  auto s = static_cast<double>(step), w = static_cast<double>(options_.warmup);
  return options_.peak * std::min(s / w, std::sqrt(w / s));
}

}  // namespace heed::nn
