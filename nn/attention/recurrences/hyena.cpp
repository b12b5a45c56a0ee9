#include "nn/attention/recurrences/hyena.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr int64_t kShortTaps = 3;
constexpr double kLowestBand = 1e-4, kFast = 0.3, kSlow = 1.5, kLeft = 0.01;

// n numbers from `from` to `to`, both included.
double evenly(double from, double to, int64_t i, int64_t n) {
  return n > 1 ? from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1) : from;
}

}  // namespace

HyenaMixer::HyenaMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "hyena")),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query}, rng),
      convolution({.features = 3 * o.query, .taps = kShortTaps, .silu = false}, rng),
      filter1({.in = 2 * settings.bands + 1, .out = settings.width}, rng),
      filter2({.in = settings.width, .out = settings.width}, rng),
      filter3({.in = settings.width, .out = settings.width}, rng),
      filter4({.in = settings.width, .out = o.query, .bias = false}, rng),
      frequency(ones_parameter({settings.width})),
      skip(normal_parameter({o.query}, 1, rng)),
      output({.in = o.query, .out = o.query}, rng) {}

Variable HyenaMixer::filter(int64_t T) const {
  const int64_t n = settings.bands, D = options.query;
  const double L = static_cast<double>(settings.max_source);
  Tensor places = Tensor::empty({T, 2 * n + 1}, DType::f64), fall = Tensor::empty({T, D}, DType::f64);
  for (int64_t j = 0; j < T; ++j) {
    const double at = static_cast<double>(j), t = L > 1 ? at / (L - 1) : 0, w = 2 * std::numbers::pi * at / L;
    places.set({j, 0}, t);
    for (int64_t i = 0; i < n; ++i) {
      double angle = evenly(kLowestBand, static_cast<double>(n - 1), i, n) * w;
      places.set({j, 1 + i}, std::cos(angle)), places.set({j, 1 + n + i}, -std::sin(angle));
    }
    for (int64_t d = 0; d < D; ++d)
      fall.set({j, d}, std::exp(t * evenly(std::log(kLeft) / kSlow, std::log(kLeft) / kFast, d, D)) + settings.shift);
  }
  auto unit = [&](const Variable& x) { return sin(frequency * x); };
  Variable p(places.to(frequency.dtype()));
  return filter4(unit(filter3(unit(filter2(unit(filter1(p))))))) * Variable(fall.to(frequency.dtype()));
}

Variable HyenaMixer::convolved(const Variable& h, const Variable& u) const {
  const int64_t B = u.size(0), T = u.size(1), D = u.size(2), C = std::min(settings.chunk, T), n = (T + C - 1) / C;
  // Block m holds the distances m C + t - s of C words t from C words s; those below 0 read the row of zeros, T.
  Variable filled = pad(h, {{.axis = 0, .after = 1}});
  Variable blocks = reshape(pad(u, {{.axis = 1, .after = n * C - T}}), {B, n, C, D}), y;
  for (int64_t m = 0; m < n; ++m) {
    std::vector<int64_t> distance;
    for (int64_t t = 0; t < C; ++t)
      for (int64_t s = 0; s < C; ++s) {
        const int64_t d = m * C + t - s;
        distance.push_back(d < 0 || d >= T ? T : d);
      }
    Variable weights = reshape(index_select(filled, 0, Tensor::from(distance, {C * C})), {C, C, D});
    Variable from = einsum("tsd,bnsd->bntd", {weights, slice(blocks, 1, 0, n - m)});
    from = pad(from, {{.axis = 1, .before = m}});
    y = y.defined() ? y + from : from;
  }
  return slice(reshape(y, {B, n * C, D}), 1, 0, T);
}

Variable HyenaMixer::pass(const Variable& x, const Tensor& words) const {
  Variable projected = words_only(projection(x), words);  // padding is 0 again, after each bias
  std::vector<Variable> part = chunk(convolution(projected, {}).output, 3, -1);
  Variable u = words_only(part[1] * part[2], words);
  return output(part[0] * (convolved(filter(x.size(1)), u) + skip * u));
}

Mixed HyenaMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  require_source(options, settings.max_source, x.size(1));
  Variable y = pass(x, in.words);
  if (options.causal) return {call.result("output", y)};
  Tensor words = in.words.defined() ? flip(in.words, {1}) : in.words;
  return {call.result("output", y + flip(pass(flip(x, {1}), words), {1}))};
}

}  // namespace heed::nn
