#include "nn/attention/recurrences/gated_delta.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "nn/init.h"

namespace heed::nn {

Variable rates_of(const Variable& log_rate) {
  constexpr double kLargest = 80;  // e^80 times any step is finite in f32
  return exp(clamp(log_rate, -HUGE_VAL, kLargest));
}

GatedDeltaMixer::GatedDeltaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "gated_delta"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 3 * o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      step({.in = o.query, .out = o.heads, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.heads}, rng)),
      log_rate(spread_log_rates({o.heads}, 0, rng)),
      gate({.in = o.query, .out = o.query, .bias = false}, rng),
      norm(ones_parameter({head_width(options)})),
      output({.in = o.query, .out = o.query, .bias = false}, rng) {}

DecayedSums GatedDeltaMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads;
  std::vector<Variable> qkv = chunk(projected, 3, -1);
  Variable decay = -rates_of(log_rate) * softplus(step(x) + step_bias);
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(split_heads(qkv[0], H)) * scale, unit_length(split_heads(qkv[1], H)), split_heads(qkv[2], H),
          split_heads(decay, H), split_heads(sigmoid(strength(x)), H)};
}

Variable GatedDeltaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  SumsRead sums =
      sums_of(without_padding(words_of(read.output, x), words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  return output(silu(gate(x)) * join_heads(rms_norm(sums.output, norm)));
}

}  // namespace heed::nn
