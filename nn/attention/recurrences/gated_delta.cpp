#include "nn/attention/recurrences/gated_delta.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/init.h"

namespace heed::nn {

Tensor first_steps(int64_t heads) {
  Tensor d = Tensor::empty({heads}, parameter_dtype());
  for (int64_t h = 0; h < heads; ++h) {
    double share = heads > 1 ? static_cast<double>(h) / static_cast<double>(heads - 1) : 0.5;
    double step = 0.001 * std::pow(100, share);
    d.set({h}, std::log(std::expm1(step)));  // softplus of it is the step
  }
  return d;
}

Variable rates_of(const Variable& log_rate) {
  constexpr double kLargest = 80;  // e^80 times any step is finite in f32
  return exp(clamp(log_rate, -HUGE_VAL, kLargest));
}

GatedDeltaMixer::GatedDeltaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "gated_delta"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 3 * o.query, .taps = settings.taps}, rng),
      strength({.in = o.query, .out = o.heads, .bias = false}, rng),
      step({.in = o.query, .out = o.heads, .bias = false}, rng),
      step_bias(first_steps(o.heads), Variable::kRequiresGrad),
      log_rate(zeros_parameter({o.heads})),
      gate({.in = o.query, .out = o.query, .bias = false}, rng),
      output({.in = o.query, .out = o.query, .bias = false}, rng) {
  head_width(options);
}

DecayedSums GatedDeltaMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads;
  std::vector<Variable> qkv = chunk(projected, 3, -1);
  Variable decay = -exp(log_rate) * softplus(step(x) + step_bias);
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  return {unit_length(split_heads(qkv[0], H)) * scale, unit_length(split_heads(qkv[1], H)), split_heads(qkv[2], H),
          split_heads(decay, H), split_heads(sigmoid(strength(x)), H)};
}

Variable GatedDeltaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  SumsRead sums =
      sums_of(without_padding(words_of(read.output, x), words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  return output(silu(gate(x)) * join_heads(rms_norm(sums.output)));
}

}  // namespace heed::nn
