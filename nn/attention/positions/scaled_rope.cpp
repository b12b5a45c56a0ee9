#include "nn/attention/positions/scaled_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"

namespace heed::nn {

std::vector<double> scaled_thetas(const std::string& name, int64_t width, const ScaledRope::Settings& settings) {
  const double s = settings.factor, base = settings.base, L = settings.trained;
  auto K = static_cast<double>(width);
  std::vector<double> thetas;
  for (int64_t i = 0; i < width / 2; ++i) {
    auto two_i = 2 * static_cast<double>(i);
    double theta = std::pow(base, -two_i / K);
    if (name == "rope_linear") theta /= s;
    if (name == "rope_ntk" && i > 0) theta *= std::pow(s, -two_i / (K - 2));
    if (name == "rope_yarn" || name == "rope_llama3") {
      const double slow = name == "rope_yarn" ? 1 : settings.slow, fast = name == "rope_yarn" ? 32 : settings.fast;
      double rotations = L * theta / (2 * std::numbers::pi),
             kept = std::clamp((rotations - slow) / (fast - slow), 0.0, 1.0);
      theta = (1 - kept) * theta / s + kept * theta;
    }
    thetas.push_back(theta);
  }
  return thetas;
}

ScaledRope::ScaledRope(const Options& o, Generator&)
    : RotaryPosition(o, "rope_linear"), settings(options.settings.as<Settings>()) {
  require_pairs();
  if (settings.fast <= settings.slow)
    throw ValueError(fmt::format("{}: fast must be more rotations than slow; got {} and {}", options.name,
                                 settings.fast, settings.slow));
}

Variable ScaledRope::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  std::vector<double> thetas = scaled_thetas(options.name, x.size(3), settings);
  Variable y = rotate_pairs(x, {.thetas = thetas, .first = first, .at = at});
  return options.name == "rope_yarn" ? y * (1 + 0.1 * std::log(settings.factor)) : y;
}

}  // namespace heed::nn
