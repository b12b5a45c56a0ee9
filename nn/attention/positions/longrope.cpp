#include "nn/attention/positions/longrope.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/scaled_rope.h"
#include "tensor/compare.h"

namespace heed::nn {

LongRope::LongRope(const Options& o, Generator&)
    : RotaryPosition(o, "longrope"), settings(options.settings.as<Settings>()) {
  require_pairs(), require_one_width(options);
  std::vector<double> slowed = scaled_thetas("rope_ntk", options.key, {settings.factor, settings.base}), l;
  for (size_t i = 0; i < slowed.size(); ++i)
    l.push_back(std::pow(settings.base, -2 * static_cast<double>(i) / static_cast<double>(options.key)) / slowed[i]);
  rescale = Tensor::from(l, {options.key / 2});
}

Variable LongRope::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  const std::vector<double> l = rescale.to_vector();
  std::vector<double> thetas;
  for (size_t i = 0; i < l.size(); ++i)
    thetas.push_back(std::pow(settings.base, -2 * static_cast<double>(i) / static_cast<double>(x.size(3))) / l[i]);
  const double m = std::sqrt(1 + std::log(settings.factor) / std::log(settings.trained));
  Variable y = rotate_pairs(x, {.thetas = thetas, .first = first, .at = at}) * m;
  if (settings.kept == 0) return y;
  Variable as_ever = rotate_pairs(x, {.base = settings.base, .first = first, .at = at});
  Tensor kept = less(places_of(first, x.size(1), at), static_cast<double>(settings.kept));  // [T] or [B, T]
  return where(kept.unsqueeze(-1).unsqueeze(-1), as_ever, y);
}

}  // namespace heed::nn
