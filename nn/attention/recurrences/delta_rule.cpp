#include "nn/attention/recurrences/delta_rule.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/range.h"

namespace heed::nn {
namespace {

constexpr double kLeastSquare = 1e-6;  // a vector of zeros stays zeros, with finite gradients

}  // namespace

Variable unit_length(const Variable& x) {
  Variable squares = sum(square(x), {-1}, true);
  Tensor units = unit_of(largest_out_of_range(x.value(), squares.value(), {-1}, 0));
  if (!units.defined()) return x * rsqrt(squares + kLeastSquare);
  Variable in = x / Variable(units);  // the squares of some rows overflow
  return in * rsqrt(sum(square(in), {-1}, true) + Variable(div(div(kLeastSquare, units), units)));
}

DeltaRuleMixer::DeltaRuleMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "delta_rule"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 3 * o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      norm(ones_parameter({head_width(options)})),
      output(square_layer(o.query, rng)) {}

DecayedSums DeltaRuleMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads;
  std::vector<Variable> qkv = chunk(projected, 3, -1);
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(split_heads(qkv[0], H)) * scale,
          unit_length(split_heads(qkv[1], H)),
          split_heads(qkv[2], H),
          {},
          split_heads(sigmoid(strength(x)), H) * (settings.doubled ? 2 : 1)};
}

Variable DeltaRuleMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  SumsRead sums =
      sums_of(without_padding(words_of(read.output, x), words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  return output(join_heads(rms_norm(sums.output, norm)));
}

}  // namespace heed::nn
