#include "nn/attention/positions/polar.h"

#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/positions/rope.h"
#include "nn/init.h"

namespace heed::nn {
namespace {
constexpr double kTurn = 2 * std::numbers::pi;
}  // namespace

PolarPosition::PolarPosition(const Options& o, Generator& rng)
    : RotaryPosition(o, "polar"),
      settings(options.settings.as<Settings>()),
      delta(zeros_parameter({std::max<int64_t>(o.heads, 1), o.key})) {
  if (settings.uniform) delta.set_value(Tensor::uniform(delta.shape(), rng, -kTurn, 0, delta.dtype()));
}

Variable PolarPosition::turned(const Variable& x, int64_t first, const Tensor& at, bool key) const {
  const int64_t K = x.size(3);
  std::vector<double> thetas;
  for (int64_t c = 0; c < K; ++c)
    thetas.push_back(std::pow(settings.base, -static_cast<double>(c) / static_cast<double>(K)));
  Variable length = softplus(x), d = clamp(delta, -kTurn, 0);
  Variable arrow = key ? concat({length, length * 0}, -1) : concat({length * cos(d), -(length * sin(d))}, -1);
  return rotate_pairs(arrow, {.thetas = thetas, .first = first, .at = at});
}

}  // namespace heed::nn
