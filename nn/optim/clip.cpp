#include "nn/optim/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/optim/fields.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

struct NamedGradient {
  const char* name;
  Tensor g;
};
std::vector<NamedGradient> gradients_of(const std::vector<NamedVariable>& parameters) {
  std::vector<NamedGradient> out;
  for (const auto& p : parameters)
    if (Tensor g = p.variable.grad(); g.defined() && g.count() > 0) out.push_back({p.name.c_str(), g});
  return out;
}

double largest(const std::vector<NamedGradient>& gradients) {
  double m = 0;
  for (const auto& [name, g] : gradients) m = std::max(m, max(abs(g).contiguous().reshape({g.count()}), 0).item());
  return m;
}

// sqrt(sum (g / unit)^2)
double euclidean(const std::vector<NamedGradient>& gradients, double unit) {
  double total = 0;
  for (const auto& [name, g] : gradients) total += sum(square(unit == 1 ? g : mul(g.to(DType::f64), 1 / unit))).item();
  return std::sqrt(total);
}

}  // namespace

double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit, const ClipOptions& o) {
  require_positive("clip_grad_norm", "limit", limit);
  if (o.p != 2 && !(std::isinf(o.p) && o.p > 0))
    throw ValueError(fmt::format("clip_grad_norm: p must be 2 or infinity; got {}", o.p));
  auto gradients = gradients_of(parameters);
  double norm = o.p == 2 ? euclidean(gradients, 1) : largest(gradients);
  // A maximum may pass over NaN, and a square may overflow where the norm itself does not.
  if (o.p != 2 || !std::isfinite(norm)) {
    for (const auto& [name, g] : gradients) {
      int64_t at = first_not_finite(g, true);
      if (at < 0) continue;
      double value = g.contiguous().reshape({g.count()}).at({at});
      if (o.allow_not_finite) return std::isnan(value) ? value : std::abs(value);
      throw ValueError(fmt::format("clip_grad_norm: gradients must be finite; got {} in the gradient of {} {}", value,
                                   name, to_string(g.shape())));
    }
    if (!std::isfinite(norm)) {
      double unit = largest(gradients);
      norm = unit * euclidean(gradients, unit);
    }
  }
  double scale = limit / (norm + 1e-6);
  if (scale < 1)
    for (auto& [name, g] : gradients) scale_into(g, scale);
  return norm;
}

void clip_grad_value(const std::vector<NamedVariable>& parameters, double limit) {
  require_positive("clip_grad_value", "limit", limit);
  for (auto& [name, g] : gradients_of(parameters)) copy_into(g, clamp(g, -limit, limit));
}

}  // namespace heed::nn
