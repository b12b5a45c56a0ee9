#include "nn/attention/recurrences/mlstm.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/running_logs.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

// The authors' small initialisation, whose variance does not depend on how wide the layer is inside.
double small_std(int64_t D) { return std::sqrt(2.0 / (5.0 * static_cast<double>(D))); }

int64_t blocks_of(int64_t features, int64_t each) { return std::max<int64_t>(1, features / each); }

Linear drawn_layer(int64_t in, int64_t out, double std, Generator& rng) {
  Linear made({.in = in, .out = out, .bias = false}, rng);
  made.weight = normal_parameter({out, in}, std, rng);
  return made;
}

// Weights of 0: at first a gate is the same for all words.
Linear constant_gate(int64_t in, const Variable& bias, Generator& rng) {
  Linear gate({.in = in, .out = bias.size(0)}, rng);
  gate.weight = zeros_parameter({bias.size(0), in}), gate.bias = bias;
  return gate;
}

Variable from_3_to_6(int64_t heads) {
  Tensor b = Tensor::empty({heads}, parameter_dtype());
  for (int64_t h = 0; h < heads; ++h)
    b.set({h}, heads > 1 ? 3 + 3 * static_cast<double>(h) / static_cast<double>(heads - 1) : 3);
  return {b, Variable::kRequiresGrad};
}

}  // namespace

MlstmRead mlstm_cell(const DecayedSums& qkv, const Variable& i, const Variable& l, const Tensor& words, int64_t chunk,
                     const std::vector<Variable>& state, double eps) {
  const int64_t T = i.size(2), V = qkv.v.size(3);
  Variable write = i, keep = l;
  if (words.defined()) {
    Tensor padding = logical_not(words).unsqueeze(1).unsqueeze(-1);  // [B, 1, T, 1]
    write = masked_fill(i, padding, -INFINITY), keep = masked_fill(l, padding, 0);
  }
  Variable before = state.empty() ? Variable() : state[1];
  Variable m = running_maximum(write, keep, before), scale = finite_scale(m);  // [B, H, T, 1]
  DecayedSums scaled = qkv;
  scaled.k = qkv.k * exp(write - scale);
  scaled.v = concat({qkv.v, Variable(Tensor::ones(i.shape(), i.dtype()))}, -1);  // the last column of C is n
  scaled.decay = rescaled(one_word_earlier(m, before), m, keep);
  SumsRead sums = sums_of(scaled, chunk, state.empty() ? Variable() : state[0]);
  Variable size = abs(slice(sums.output, -1, V, V + 1));  // |q . n| / e^m
  Variable h = slice(sums.output, -1, 0, V) / (maximum(size, exp(-scale)) + eps);
  return {h, {sums.state, slice(m, 2, T - 1, T)}};
}

MlstmMixer::MlstmMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "mlstm"),
      settings(options.settings.as<Settings>()),
      width(settings.inner * o.query),
      up(drawn_layer(o.query, 2 * width, small_std(o.query), rng)),
      convolution({.features = width, .taps = settings.taps}, rng),
      query({width, blocks_of(width, settings.block), small_std(o.query)}, rng),
      key({width, blocks_of(width, settings.block), small_std(o.query)}, rng),
      value({width, blocks_of(width, settings.block), small_std(o.query)}, rng),
      input_gate(constant_gate(3 * width, normal_parameter({o.heads}, 0.1, rng), rng)),
      forget_gate(constant_gate(3 * width, from_3_to_6(o.heads), rng)),
      norm(ones_parameter({width})),
      skip(ones_parameter({width})),
      down(drawn_layer(
          width, o.query,
          2 / (static_cast<double>(std::max<int64_t>(1, o.layers)) * std::sqrt(static_cast<double>(o.query))), rng)) {
  head_width(options);
}

Variable MlstmMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t H = options.heads;
  std::vector<Variable> uz = chunk(up(x), 2, -1);  // [B, T, D'] each
  const bool starts = state.empty();
  auto c = convolution(uz[0], starts ? Variable() : state[0]);
  Variable q = query(c.output), k = key(c.output), v = value(uz[0]), seen = concat({q, k, v}, -1);
  const double root = std::sqrt(static_cast<double>(width / H));
  MlstmRead read =
      mlstm_cell({split_heads(q, H), split_heads(k, H) / root, split_heads(v, H)}, split_heads(input_gate(seen), H),
                 split_heads(-softplus(-forget_gate(seen)), H), words, settings.chunk,
                 starts ? std::vector<Variable>{} : std::vector<Variable>{state[1], state[2]});
  state = {c.state, read.state[0], read.state[1]};
  Variable h = join_heads(layer_norm(read.output)) * norm;
  return down((h + skip * c.output) * silu(uz[1]));
}

}  // namespace heed::nn
