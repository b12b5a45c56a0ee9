#include "nn/attention/mixers/convolution.h"

#include "autograd/ops.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

ConvolutionMixer::ConvolutionMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "lightweight_conv")),
      taps(options.settings.as<Settings>().taps),
      input({.in = o.query, .out = 2 * o.query}, rng),
      output({.in = o.query, .out = o.query}, rng) {
  head_width(options);
  if (options.name == "dynamic_conv")
    kernels = std::make_unique<Linear>(Linear::Options{.in = o.query, .out = o.heads * taps}, rng);
  else
    kernel = normal_parameter({o.heads, taps}, 1, rng);
}

Variable ConvolutionMixer::gated(const Variable& x, const Tensor& words) const {
  std::vector<Variable> ab = chunk(input(words_only(x, words)), 2, -1);
  return words_only(ab[0] * sigmoid(ab[1]), words);
}

Variable ConvolutionMixer::convolved(const Variable& wide, const Variable& u) const {
  const int64_t B = u.size(0), T = u.size(1), H = options.heads, K = u.size(2) / H;
  // unfold gives the earliest word of a window first; kernel j belongs to the word j places before the window's end.
  Variable windows = reshape(unfold(wide, 1, taps, 1), {B, T, H, K, taps});
  Variable weights = kernels ? reshape((*kernels)(u), {B, T, H, 1, taps}) : reshape(kernel, {1, 1, H, 1, taps});
  return reshape(sum(windows * flip(softmax(weights, -1), {-1}), {-1}), {B, T, H * K});
}

Mixed ConvolutionMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable u = gated(x, in.words);
  const int64_t after = options.causal ? 0 : taps / 2;
  Variable wide = pad(u, {{.axis = 1, .before = taps - 1 - after, .after = after}});
  return {call.result("output", output(convolved(wide, u)))};
}

std::unique_ptr<AttentionMemory> ConvolutionMixer::memory() const { return std::make_unique<StateMemory>(); }

Mixed ConvolutionMixer::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(x, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory(options.name.c_str(), memory);
  Variable u = gated(x, of_last(in.words, x.size(1)));
  Variable before =
      kept.state.empty() ? Variable(Tensor::zeros({x.size(0), taps - 1, x.size(2)}, x.dtype())) : kept.state[0];
  Variable wide = concat({before, u}, 1);
  kept.state = {slice(wide, 1, u.size(1), u.size(1) + taps - 1)};
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", output(convolved(wide, u)))};
}

}  // namespace heed::nn
