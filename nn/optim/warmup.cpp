#include "nn/optim/warmup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed::nn {

WarmupLinear::WarmupLinear(const Options& options) : options_(options) { start(); }
void WarmupLinear::check() const { require_after_warmup(kind(), options_.warmup, options_.total); }
double WarmupLinear::operator()(int64_t step) const {
  auto [peak, start, warmup, total, floor] = options_;
  int64_t t = step - 1;
  auto share = [](int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); };
  if (t < warmup) return start + (peak - start) * share(t, warmup);
  if (t >= total) return floor;
  return peak + (floor - peak) * share(t - warmup, total - warmup);
}

Noam::Noam(const Options& options) : options_(options) { start(); }
double Noam::operator()(int64_t step) const {
  auto s = static_cast<double>(step), width = static_cast<double>(options_.width);
  double rise = s * std::pow(static_cast<double>(options_.warmup), -1.5);
  return options_.scale / std::sqrt(width) * std::min(1 / std::sqrt(s), rise);
}

InverseSquareRoot::InverseSquareRoot(const Options& options) : options_(options) { start(); }
double InverseSquareRoot::operator()(int64_t step) const {
  auto s = static_cast<double>(step), w = static_cast<double>(options_.warmup);
  return options_.peak * std::min(s / w, std::sqrt(w / s));
}

}  // namespace heed::nn
