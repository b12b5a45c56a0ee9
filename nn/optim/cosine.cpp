#include "nn/optim/cosine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed::nn {
namespace {

double half_cosine(double peak, double floor, double t, double period) {
  return floor + (peak - floor) * 0.5 * (1 + std::cos(std::numbers::pi * t / period));
}

}  // namespace

WarmupCosine::WarmupCosine(const Options& options) : options_(options) { check(); }
Fields WarmupCosine::fields() {
  return {
      {"peak", &options_.peak}, {"warmup", &options_.warmup}, {"total", &options_.total}, {"floor", &options_.floor}};
}
void WarmupCosine::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_not_negative(kind(), "floor", options_.floor);
  require_count(kind(), "warm-up", options_.warmup, 0);
  require_count(kind(), "total", options_.total, std::max<int64_t>(options_.warmup, 1));
}
double WarmupCosine::operator()(int64_t step) const {
  auto [peak, warmup, total, floor] = options_;
  auto s = static_cast<double>(step), w = static_cast<double>(warmup), t = static_cast<double>(total);
  if (step < warmup) return peak * s / w;
  if (step >= total) return floor;
  return half_cosine(peak, floor, s - w, t - w);
}

CosineDecay::CosineDecay(const Options& options) : options_(options) { check(); }
Fields CosineDecay::fields() {
  return {{"peak", &options_.peak}, {"period", &options_.period}, {"floor", &options_.floor}, {"wave", &options_.wave}};
}
void CosineDecay::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_not_negative(kind(), "floor", options_.floor);
  require_count(kind(), "period", options_.period, 1);
}
double CosineDecay::operator()(int64_t step) const {
  int64_t t = step - 1;
  if (t > options_.period && !options_.wave) return options_.floor;
  return half_cosine(options_.peak, options_.floor, static_cast<double>(t), static_cast<double>(options_.period));
}

CosineRestarts::CosineRestarts(const Options& options) : options_(options) { check(); }
Fields CosineRestarts::fields() {
  return {
      {"peak", &options_.peak}, {"period", &options_.period}, {"growth", &options_.growth}, {"floor", &options_.floor}};
}
void CosineRestarts::check() const {
  require_positive(kind(), "peak", options_.peak);
  require_not_negative(kind(), "floor", options_.floor);
  require_count(kind(), "period", options_.period, 1);
  require_count(kind(), "growth", options_.growth, 1);
}
double CosineRestarts::operator()(int64_t step) const {
  int64_t t = step - 1, period = options_.period;
  if (options_.growth == 1) t %= period;
  while (t >= period) {
    t -= period;
    if (__builtin_mul_overflow(period, options_.growth, &period)) period = INT64_MAX;
  }
  return half_cosine(options_.peak, options_.floor, static_cast<double>(t), static_cast<double>(period));
}

}  // namespace heed::nn
