#include "nn/optim/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/optim/fields.h"
#include "nn/ranks.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/machine.h"
#include "tensor/profile.h"
#include "tensor/range.h"
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

double largest(const std::vector<NamedGradient>& gradients, Ranks* ranks) {
  double m = 0;
  for (const auto& [name, g] : gradients) m = std::max(m, max(abs(g).contiguous().reshape({g.count()}), 0).item());
  return ranks ? ranks->largest(m) : m;
}

// Computes the sum of g^2 in one pass and stores nothing. The gradient is cut into pieces of a fixed size whose sums
// are added in order, so the result has the same bits for any number of threads.
double sum_of_squares(const Tensor& g_) {
  Tensor g = g_.contiguous();
  constexpr int64_t kPiece = 16384;
  int64_t n = g.count(), pieces = (n + kPiece - 1) / kPiece;
  Kernel kernel("sum_of_squares", n);
  std::vector<double> sums(static_cast<size_t>(pieces));
  dispatch_float(g.dtype(), "clip_grad_norm", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T* p = g.data<T>();
    vectorised_for(0, pieces, 4, [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        // Four independent sums, because each addition to a single sum would wait for the one before.
        Lanes<T, R> lanes[4] = {};
        int64_t i = piece * kPiece, last = std::min(n, i + kPiece);
        for (; i + 4 * L <= last; i += 4 * L)
          for (int64_t k = 0; k < 4; ++k) {
            Lanes<T, R> x = load<R>(p + i + k * L);
            lanes[k] += x * x;
          }
        for (; i < last; i += L) {
          Lanes<T, R> x = load_first<R>(p + i, std::min(L, last - i));
          lanes[0] += x * x;
        }
        sums[static_cast<size_t>(piece)] = add_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
      }
    });
  });
  double total = 0;
  for (double s : sums) total += s;
  return total;
}

// sqrt(sum (g / unit)^2)
double euclidean(const std::vector<NamedGradient>& gradients, double unit, Ranks* ranks) {
  std::vector<double> total{0};
  for (const auto& [name, g] : gradients) total[0] += sum_of_squares(unit == 1 ? g : div(g.to(DType::f64), unit));
  if (ranks) ranks->sum(total);
  return std::sqrt(total[0]);
}

void require_limit(const char* operation, double limit) {
  if (!kPositive.holds(limit))
    throw ValueError(fmt::format("{}: the limit must be positive; got {}", operation, limit));
}

}  // namespace

double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit, const ClipOptions& o) {
  require_limit("clip_grad_norm", limit);
  if (o.p != 2 && !(std::isinf(o.p) && o.p > 0))
    throw ValueError(fmt::format("clip_grad_norm: p must be 2 or infinity; got {}", o.p));
  auto gradients = gradients_of(parameters);
  double norm = o.p == 2 ? euclidean(gradients, 1, o.ranks) : largest(gradients, o.ranks);
  // A maximum can miss a NaN, and a square can overflow even though the norm itself is finite.
  if (o.p != 2 || !std::isfinite(norm)) {
    if (o.ranks) {  // what one rank finds, all must know
      double bad = 0;
      for (const auto& [name, g] : gradients) bad = first_not_finite(g, true) >= 0 ? 1 : bad;
      if (o.ranks->largest(bad) > 0 && o.allow_not_finite) return NAN;
    }
    for (const auto& [name, g] : gradients) {
      int64_t at = first_not_finite(g, true);
      if (at < 0) continue;
      double value = g.contiguous().reshape({g.count()}).at({at});
      if (o.allow_not_finite) return std::isnan(value) ? value : std::abs(value);
      throw ValueError(fmt::format("clip_grad_norm: gradients must be finite; got {} in the gradient of {} {}", value,
                                   name, to_string(g.shape())));
    }
  }
  // The squares of f32 leave its range above 1e19, and below 1e-19 lose their digits.
  double unit = o.p == 2 && !(norm > 1e-15 && std::isfinite(norm)) ? largest(gradients, o.ranks) : 0, units = norm;
  if (unit > 0)
    units = euclidean(gradients, unit, o.ranks), norm = unit * units;  // may be infinite in f64, unlike its parts
  double scale = std::isfinite(norm) ? limit / (norm + 1e-6) : limit / unit / units;
  // A scale that the type cannot hold is applied as two equal factors.
  double root = std::sqrt(limit) / (std::isfinite(norm) ? std::sqrt(norm + 1e-6) : std::sqrt(unit) * std::sqrt(units));
  for (auto& [name, g] : gradients) {
    if (!(scale < 1)) break;
    const bool fits = scale >= least_sum(g.dtype(), 1);
    scale_into(g, fits ? scale : root);
    if (!fits) scale_into(g, root);
  }
  return norm;
}

void clip_grad_value(const std::vector<NamedVariable>& parameters, double limit) {
  require_limit("clip_grad_value", limit);
  for (auto& [name, g] : gradients_of(parameters)) copy_into(g, clamp(g, -limit, limit));
}

}  // namespace heed::nn
