#include "nn/attention/positions/scaled_rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

// z_i^(sign p / C) for both entries of each pair: [T, 1, K], or [B, T, 1, K] where each word has a place of its own.
Tensor decay(int64_t T, int64_t K, int64_t first, const Tensor& at, double rate, DType dtype) {
  Tensor places = at.defined() ? at.contiguous() : Tensor();
  int64_t words = at.defined() ? places.count() : T, half = K / 2;
  Tensor factor = Tensor::empty(at.defined() ? Shape{at.size(0), T, 1, K} : Shape{T, 1, K}, DType::f64);
  for (int64_t n = 0; n < words; ++n) {
    auto p = static_cast<double>(at.defined() ? places.data<int64_t>()[n] : first + n);
    for (int64_t i = 0; i < half; ++i) {
      double z = (static_cast<double>(i) / static_cast<double>(half) + 0.4) / 1.4;
      factor.data<double>()[n * K + i] = factor.data<double>()[n * K + half + i] = std::pow(z, p * rate);
    }
  }
  return factor.to(dtype);
}

}  // namespace

std::vector<double> scaled_thetas(const std::string& name, int64_t width, const Settings& settings) {
  double base = settings.number("base"), s = settings.number("factor"), L = settings.number("trained");
  auto K = static_cast<double>(width);
  std::vector<double> thetas;
  for (int64_t i = 0; i < width / 2; ++i) {
    auto two_i = 2 * static_cast<double>(i);
    double theta = std::pow(base, -two_i / K);
    if (name == "rope_linear") theta /= s;
    if (name == "rope_ntk" && i > 0) theta *= std::pow(s, -two_i / (K - 2));
    if (name == "rope_yarn") {
      double rotations = L * theta / (2 * std::numbers::pi), kept = std::clamp((rotations - 1) / (32 - 1), 0.0, 1.0);
      theta = (1 - kept) * theta / s + kept * theta;
    }
    thetas.push_back(theta);
  }
  return thetas;
}

ScaledRope::ScaledRope(const Options& o, Generator&) : RotaryPosition(o, "rope_linear") { require_pairs(); }

Variable ScaledRope::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  std::vector<double> thetas = scaled_thetas(options.name, x.size(3), options.settings);
  Variable y = rotate_pairs(x, {.thetas = thetas, .first = first, .at = at});
  return options.name == "rope_yarn" ? y * (1 + 0.1 * std::log(options.settings.number("factor"))) : y;
}

XPos::XPos(const Options& o, Generator&) : RotaryPosition(o, "xpos") { require_pairs(); }

Variable XPos::turned(const Variable& x, int64_t first, const Tensor& at, bool key) const {
  Variable y = rotate_pairs(x, {.base = options.settings.number("base"), .first = first, .at = at});
  double rate = (key ? -1 : 1) / options.settings.number("decay");
  return y * Variable(decay(x.size(1), x.size(3), first, at, rate, x.dtype()));
}

}  // namespace heed::nn
