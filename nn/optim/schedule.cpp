#include "nn/optim/schedule.h"

#include <cmath>
#include <numbers>

namespace heed::nn {

double WarmupCosine::operator()(int64_t step) const {
  auto s = static_cast<double>(step), w = static_cast<double>(warmup), t = static_cast<double>(total);
  if (step < warmup) return peak * s / w;
  if (step >= total) return floor;
  return floor + (peak - floor) * 0.5 * (1 + std::cos(std::numbers::pi * (s - w) / (t - w)));
}

}  // namespace heed::nn
