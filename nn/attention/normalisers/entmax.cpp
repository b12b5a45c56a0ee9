#include "nn/attention/normalisers/entmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/normalisers/sparsemax.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

constexpr double kLeast = 1.01, kRange = 0.99;  // of a learned alpha

// Both ways work on u_s = (alpha - 1) (z_s - max z) <= 0, and look for the t in [0, 1] with sum_s (1 + u_s - t)_+^(1 /
// (alpha - 1)) = 1. This t is tau + 1 for these scores; the largest score has the weight (1 - t)^(1 / (alpha - 1)).
double weight_of(double u, double t, double alpha) {
  return u - t <= -1 ? 0 : std::exp(std::log1p(u - t) / (alpha - 1));
}

double by_bisection(const double* u, int64_t S, double alpha) {
  int64_t allowed = 0;
  for (int64_t s = 0; s < S; ++s) allowed += u[s] != -INFINITY;
  double low = 0, high = -std::expm1((1 - alpha) * std::log(static_cast<double>(allowed)));  // all scores equal
  for (int step = 0; step < 64; ++step) {
    double middle = (low + high) / 2, total = 0;
    for (int64_t s = 0; s < S; ++s) total += weight_of(u[s], middle, alpha);
    (total >= 1 ? low : high) = middle;
  }
  return low;
}

// alpha = 1.5. If the k largest u are the support, with mean m and sum of squared deviations q, then sum (u -
// tau)^2 = q + k (m - tau)^2 = 1, so tau = m - sqrt((1 - q) / k). The support is the largest k with u_(k) > tau.
double by_sorting(const double* u, int64_t S, std::vector<double>& sorted) {
  sorted.clear();
  for (int64_t s = 0; s < S; ++s)
    if (u[s] > -1) sorted.push_back(u[s]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double m = 0, q = 0, tau = -1;
  for (size_t i = 0; i < sorted.size(); ++i) {
    double k = static_cast<double>(i + 1), from_mean = sorted[i] - m;
    m += from_mean / k, q += from_mean * (sorted[i] - m);  // Welford, 1962
    if (q >= 1) break;
    double next = m - std::sqrt((1 - q) / k);
    if (!(sorted[i] > next)) break;
    tau = next;
  }
  return tau + 1;
}

void entmax_row(const double* scores, double* z, int64_t S, double alpha, std::vector<double>& room) {
  std::copy_n(scores, S, z);  // z becomes u, and then the weights
  double top = -INFINITY, total = 0;
  bool broken = false;
  for (int64_t s = 0; s < S; ++s) top = std::max(top, z[s]), broken = broken || std::isnan(z[s]) || z[s] == INFINITY;
  if (broken) return std::fill_n(z, S, std::numeric_limits<double>::quiet_NaN()), void();
  if (top == -INFINITY) return std::fill_n(z, S, 0.0), void();
  for (int64_t s = 0; s < S; ++s) z[s] = (alpha - 1) * (z[s] - top);
  double t = alpha == 1.5 ? by_sorting(z, S, room) : by_bisection(z, S, alpha);
  for (int64_t s = 0; s < S; ++s) total += z[s] = weight_of(z[s], t, alpha);
  for (int64_t s = 0; s < S; ++s) z[s] /= total;  // what rounding left
}

}  // namespace

Variable entmax(const Variable& z, const Variable& alpha) {
  int64_t S = z.size(-1);
  Shape one = z.shape();
  one[one.rank() - 1] = 1;
  Tensor scores = z.value().to(DType::f64).contiguous(), w = Tensor::empty(z.shape(), DType::f64);
  Tensor of_rows = alpha.value().to(DType::f64).expand(one).contiguous();
  std::vector<double> room;
  for (int64_t row = 0, rows = S == 0 ? 0 : w.count() / S; row < rows; ++row)
    entmax_row(scores.data<double>() + row * S, w.data<double>() + row * S, S, of_rows.data<double>()[row], room);
  w = w.to(z.dtype());
  Tensor outside = equal(w, 0);
  return attach("entmax", {z, broadcast(alpha)}, w,
                [outside, kept = save_output(w), exponent = save(alpha)](Grads& g, const Variable& dw) {
                  Variable p = g[kept], a = g[exponent], inside = masked_fill(p, outside, 1);
                  Variable slope = masked_fill(pow(inside, 2 - a), outside, 0);  // w^(2 - alpha)
                  Variable total = sum(slope, {-1}, true);
                  Variable share = slope / masked_fill(total, equal(total.value(), 0), 1);
                  g.add(0, slope * (dw - sum(share * dw, {-1}, true)));
                  if (!g.needs(1)) return;
                  Variable entropy = p * log(inside), b = a - 1;
                  g.add(1, dw * ((p - share) / square(b) - (entropy - share * sum(entropy, {-1}, true)) / b));
                });
}

EntmaxNormaliser::EntmaxNormaliser(const Options& o, Generator&) : settings(o.settings.as<Settings>()) {
  if (!settings.learned) return;
  double share = (settings.alpha - kLeast) / kRange;
  if (!(share > 0 && share < 1))
    throw ValueError(
        fmt::format("entmax: a learned alpha must begin between {} and 2; got {}; hint: 1.5", kLeast, settings.alpha));
  raw_alpha = full_parameter({o.heads, 1, 1}, std::log(share / (1 - share)));
}

Variable EntmaxNormaliser::alpha() const { return sigmoid(raw_alpha) * kRange + kLeast; }

Variable EntmaxNormaliser::weights(const Variable& scores, StageContext&) const {
  if (raw_alpha.defined()) return entmax(scores, alpha());
  double fixed = settings.alpha;
  if (fixed == 1) return softmax(scores, -1);
  if (fixed == 2) return sparsemax(scores);
  return entmax(scores, Variable(Tensor::scalar(fixed, scores.dtype())));
}

}  // namespace heed::nn
