#include "nn/attention/recurrences/lightning.h"

#include "autograd/ops.h"
#include "nn/attention/positions/alibi.h"
#include "nn/init.h"

namespace heed::nn {

std::vector<double> lightning_rates(int64_t heads, int64_t layer, int64_t layers) {
  const double depth = layers > 1 ? static_cast<double>(layer) / static_cast<double>(layers - 1) : 0;
  std::vector<double> rates = alibi_slopes(heads);
  for (double& s : rates) s *= 1 - depth + 1e-5;
  return rates;
}

LightningMixer::LightningMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "lightning"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      gate(square_layer(o.query, rng)),
      norm(ones_parameter({o.query})),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

DecayedSums LightningMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads, T = x.size(1);
  std::vector<Variable> qkv = chunk(silu(projection(x)), 3, -1);
  const std::vector<double> rates = lightning_rates(H, options.layer, options.layers);
  Tensor decay = Tensor::empty({1, H, T, 1}, x.dtype());
  for (int64_t h = 0; h < H; ++h)
    for (int64_t t = 0; t < T; ++t) decay.set({0, h, t, 0}, -rates[static_cast<size_t>(h)]);
  return {split_heads(qkv[0], H), split_heads(qkv[1], H), split_heads(qkv[2], H), Variable(decay)};
}

Variable LightningMixer::finished(const Variable& x, const Variable& o) const {
  return output(rms_norm(join_heads(o), norm, {.eps = 1e-6}) * sigmoid(gate(x)));
}

Variable LightningMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return finished(x, read.output);
}

}  // namespace heed::nn
