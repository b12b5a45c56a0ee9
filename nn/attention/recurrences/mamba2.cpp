#include "nn/attention/recurrences/mamba2.h"

#include "autograd/ops.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "nn/init.h"

namespace heed::nn {

Mamba2Mixer::Mamba2Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "mamba2"),
      settings(options.settings.as<Settings>()),
      inner(settings.inner * o.query),
      width(settings.state),
      projection({.in = o.query, .out = 2 * inner + 2 * width, .bias = false}, rng),
      convolution({.features = inner + 2 * width, .taps = settings.taps}, rng),
      step({.in = o.query, .out = o.heads, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.heads}, rng)),
      log_rate(spread_log_rates({o.heads}, 1, rng)),
      skip(ones_parameter({o.heads})),
      norm(ones_parameter({inner})),
      output({.in = inner, .out = o.query, .bias = false}, rng) {
  head_width(options);
}

DecayedSums Mamba2Mixer::words_of(const Variable& convolved, const Variable& u) const {
  const int64_t H = options.heads;
  std::vector<Variable> part = split(convolved, {inner, width, width}, -1);
  Variable d = softplus(step(u) + step_bias);  // [B, T, H]
  auto for_heads = [&](const Variable& y) { return expand(unsqueeze(y, 1), {y.size(0), H, y.size(1), width}); };
  return {for_heads(part[2]), for_heads(part[1]), split_heads(part[0], H) * split_heads(d, H),
          split_heads(-rates_of(log_rate) * d, H)};
}

Mamba2Mixer::Inputs Mamba2Mixer::inputs(const Variable& u, const Variable& state) const {
  Variable projected = projection(u), z = slice(projected, -1, 0, inner);
  return {z, convolution(slice(projected, -1, inner, 2 * inner + 2 * width), state)};
}

Variable Mamba2Mixer::finished(const Variable& sums, const Inputs& in) const {
  const int64_t H = options.heads;
  Variable x = split_heads(slice(in.read.output, -1, 0, inner), H);
  Variable o = join_heads(sums + reshape(skip, {1, H, 1, 1}) * x);
  return output(rms_norm(o * silu(in.z), norm));
}

Variable Mamba2Mixer::pass(const Variable& u, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Inputs in = inputs(u, state.empty() ? Variable() : state[0]);
  SumsRead sums = sums_of(without_padding(words_of(in.read.output, u), words), settings.chunk,
                          state.empty() ? Variable() : state[1]);
  state = {in.read.state, sums.state};
  return finished(sums.output, in);
}

}  // namespace heed::nn
