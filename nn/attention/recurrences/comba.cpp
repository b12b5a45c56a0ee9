#include "nn/attention/recurrences/comba.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "nn/init.h"

namespace heed::nn {

constexpr double kLeastLogDecay = -40;

CombaMixer::CombaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "comba"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 3 * o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      step({.in = o.query, .out = o.heads, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.heads}, rng)),
      log_rate(spread_log_rates({o.heads}, 0, rng)),
      inner_decay(ones_parameter({o.heads})),
      correction(full_parameter({o.heads}, settings.correction)),
      gate(square_layer(o.query, rng)),
      norm(ones_parameter({head_width(options)})),
      output(square_layer(o.query, rng)) {}

DecayedSums CombaMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads;
  std::vector<Variable> qkv = chunk(projected, 3, -1);
  Variable q = split_heads(qkv[0], H), k = split_heads(qkv[1], H), unit = unit_length(k);
  Variable share = sigmoid(reshape(inner_decay, {1, H, 1, 1})), c = reshape(correction, {1, H, 1, 1});
  Variable decay = split_heads(clamp(-rates_of(log_rate) * softplus(step(x) + step_bias), kLeastLogDecay, 0), H);
  // p / a: what it returns after the decay is what p returns before it.
  Variable p = settings.decayed ? share * unit : share * unit * exp(-decay);
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(q - c * share * k) * scale, unit, split_heads(qkv[2], H), decay,
          split_heads(sigmoid(strength(x)), H),   p};
}

Variable CombaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  SumsRead sums =
      sums_of(without_padding(words_of(read.output, x), words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  return output(join_heads(rms_norm(sums.output, norm)) * sigmoid(gate(x)));
}

}  // namespace heed::nn
