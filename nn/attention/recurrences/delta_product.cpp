#include "nn/attention/recurrences/delta_product.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// [B, T, n W] -> [B, n T, W]: the steps of a word one after another
Variable steps_in_turn(const Variable& x, int64_t n) {
  return reshape(contiguous(x), {x.size(0), x.size(1) * n, x.size(2) / n});
}
// x [B, T, W] at one of the n steps of each word, 0 at the others. [B, n T, W]
Variable at_step(const Variable& x, int64_t step, int64_t n) {
  std::vector<Variable> all(static_cast<size_t>(n), Variable(Tensor::zeros(x.shape(), x.dtype())));
  all[static_cast<size_t>(step)] = x;
  return steps_in_turn(concat(all, -1), n);
}

}  // namespace

DeltaProductMixer::DeltaProductMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "delta_product"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = (2 * settings.steps + 1) * o.query, .bias = false}, rng),
      convolution({.features = (2 * settings.steps + 1) * o.query, .taps = settings.taps, .bias = false}, rng),
      strength({.in = o.query, .out = settings.steps * o.heads, .bias = false}, rng),
      step({.in = o.query, .out = o.heads, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.heads}, rng)),
      log_rate(spread_log_rates({o.heads}, 0, rng)),
      gate(square_layer(o.query, rng)),
      norm(ones_parameter({head_width(options)})),
      output(square_layer(o.query, rng)) {}

DecayedSums DeltaProductMixer::words_of(const Variable& projected, const Variable& x) const {
  const int64_t H = options.heads, D = x.size(2), n = settings.steps;
  std::vector<Variable> part = split(projected, {D, n * D, n * D}, -1);
  Variable decay = -rates_of(log_rate) * softplus(step(x) + step_bias);  // [B, T, H]
  const double scale = 1 / std::sqrt(static_cast<double>(head_width(options)));
  auto in_turn = [&](const Variable& y) { return split_heads(steps_in_turn(y, n), H); };
  return {split_heads(at_step(join_heads(unit_length(split_heads(part[0], H)) * scale), n - 1, n), H),
          unit_length(in_turn(part[1])), in_turn(part[2]), split_heads(at_step(decay, 0, n), H),
          in_turn(2 * sigmoid(strength(x)))};
}

Variable DeltaProductMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t B = x.size(0), T = x.size(1), n = settings.steps;
  auto read = convolution(projection(x), state.empty() ? Variable() : state[0]);
  Tensor of_steps = words.defined() ? words.unsqueeze(-1).expand({B, T, n}).contiguous().reshape({B, T * n}) : words;
  SumsRead sums = sums_of(without_padding(words_of(read.output, x), of_steps), settings.chunk * n,
                          state.empty() ? Variable() : state[1]);
  state = {read.state, sums.state};
  Variable o = reshape(sums.output, {B, options.heads, T, n, -1});
  return output(join_heads(rms_norm(select(o, 3, n - 1), norm)) * silu(gate(x)));
}

}  // namespace heed::nn
