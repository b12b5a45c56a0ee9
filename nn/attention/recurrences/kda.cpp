#include "nn/attention/recurrences/kda.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "nn/init.h"

namespace heed::nn {

KdaMixer::KdaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "kda"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 3 * o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      decay1({.in = o.query, .out = head_width(options), .bias = false}, rng),
      decay2({.in = head_width(options), .out = o.query, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.query}, rng)),
      log_rate(spread_log_rates({o.heads}, 1, rng)),
      gate1({.in = o.query, .out = head_width(options), .bias = false}, rng),
      gate2({.in = head_width(options), .out = o.query}, rng),
      norm(ones_parameter({head_width(options)})),
      output(square_layer(o.query, rng)) {}

DecayedSums KdaMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads;
  std::vector<Variable> qkv = chunk(projected, 3, -1);
  Variable step = split_heads(softplus(decay2(decay1(x)) + step_bias), H);  // [B, H, T, K]
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(split_heads(qkv[0], H)) * scale, unit_length(split_heads(qkv[1], H)), split_heads(qkv[2], H),
          -reshape(rates_of(log_rate), {1, H, 1, 1}) * step, split_heads(sigmoid(strength(x)), H)};
}

Variable KdaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  SumsRead sums =
      sums_of(without_padding(words_of(read.output, x), words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  return output(join_heads(rms_norm(sums.output, norm)) * sigmoid(gate2(gate1(x))));
}

}  // namespace heed::nn
