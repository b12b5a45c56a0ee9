#include "nn/attention/recurrences/h3.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

H3Mixer::H3Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "h3"),
      settings(options.settings.as<Settings>()),
      query({.in = o.query, .out = o.query}, rng),
      key({.in = o.query, .out = o.query}, rng),
      value({.in = o.query, .out = o.query}, rng),
      shift({.features = o.query, .taps = settings.taps, .bias = false, .silu = false}, rng),
      key_skip(normal_parameter({o.query}, 1, rng)),
      system({.systems = o.heads, .modes = settings.modes}, rng),
      output({.in = o.query, .out = o.query}, rng) {
  head_width(options);
}

Variable H3Mixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t B = x.size(0), T = x.size(1), H = options.heads, K = head_width(options);
  const bool begins = state.empty();
  Variable k = words_only(key(x), words);  // padding is 0 again, after the bias
  auto shifted = shift(k, begins ? Variable() : state[0]);
  k = reshape(shifted.output + key_skip * k, {B, T, H, K, 1});
  Variable v = reshape(words_only(value(x), words), {B, T, H, 1, K});
  auto read =
      system(reshape(k * v, {B, T, H, K * K}), words, settings.chunk, begins ? Complex() : Complex{state[1], state[2]});
  state = {shifted.state, read.state.re, read.state.im};
  Variable o = matmul(reshape(query(x), {B, T, H, 1, K}), reshape(read.output, {B, T, H, K, K}));
  return output(reshape(o, {B, T, H * K}));
}

}  // namespace heed::nn
