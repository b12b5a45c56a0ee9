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

WarmupCosine::WarmupCosine(const Options& options) : options_(options) { start(); }
void WarmupCosine::check() const { require_after_warmup(kind(), options_.warmup, options_.total); }
double WarmupCosine::operator()(int64_t step) const {
  auto [peak, warmup, total, floor] = options_;
  auto s = static_cast<double>(step), w = static_cast<double>(warmup), t = static_cast<double>(total);
  if (step < warmup) return peak * s / w;
  if (step >= total) return floor;
  return half_cosine(peak, floor, s - w, t - w);
}

CosineDecay::CosineDecay(const Options& options) : options_(options) { start(); }
double CosineDecay::operator()(int64_t step) const {
  int64_t t = step - 1;
  if (t > options_.period && !options_.wave) return options_.floor;
  return half_cosine(options_.peak, options_.floor, static_cast<double>(t), static_cast<double>(options_.period));
}

CosineRestarts::CosineRestarts(const Options& options) : options_(options) { start(); }
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
