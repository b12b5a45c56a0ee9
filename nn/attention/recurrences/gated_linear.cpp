#include "nn/attention/recurrences/gated_linear.h"

#include <cmath>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

Linear plain_layer(int64_t in, int64_t out, Generator& rng) {
  return Linear({.in = in, .out = out, .bias = false}, rng);
}

}  // namespace

GatedLinearMixer::GatedLinearMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "gated_linear"),
      settings(options.settings.as<Settings>()),
      query(plain_layer(o.query, o.query, rng)),
      key(plain_layer(o.query, o.query, rng)),
      value(plain_layer(o.query, o.query, rng)),
      decay1(plain_layer(o.query, settings.rank, rng)),
      decay2({.in = settings.rank, .out = o.query}, rng),
      gate(plain_layer(o.query, o.query, rng)),
      output(plain_layer(o.query, o.query, rng)) {
  head_width(options);
}

DecayedSums GatedLinearMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads;
  Variable decay = -softplus(-decay2(decay1(x))) / settings.root;  // log sigmoid(z) = -softplus(-z)
  return {split_heads(query(x), H) / std::sqrt(static_cast<double>(head_width(options))), split_heads(key(x), H),
          split_heads(value(x), H), split_heads(decay, H)};
}

Variable GatedLinearMixer::finished(const Variable& x, const Variable& o) const {
  return output(silu(gate(x)) * join_heads(rms_norm(o)));
}

Variable GatedLinearMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SumsRead read = sums_of(without_padding(words_of(x), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return finished(x, read.output);
}

}  // namespace heed::nn
