#include "nn/attention/recurrences/recurrent_mixer.h"

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"

namespace heed::nn {

RecurrentMixer::RecurrentMixer(const MixerOptions& o, const char* name)
    : options(completed_stage(Kind::mixer, o, name)) {}

Linear RecurrentMixer::square_layer(int64_t width, Generator& rng) {
  return Linear({.in = width, .out = width, .bias = false}, rng);
}

Mixed RecurrentMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable seen = words_only(x, in.words);
  std::vector<Variable> state;
  Variable y = pass_on(seen, in.words, 0, state, left_in(in, ""));
  if (options.causal) return {call.result("output", y)};
  state.clear();
  Tensor words = in.words.defined() ? flip(in.words, {1}) : in.words;
  Variable back = pass_on(flip(seen, {1}), words, 0, state, left_in(in, " from the right"));
  return {call.result("output", y + flip(back, {1}))};
}

Variable* RecurrentMixer::left_in(const MixerInput& in, const char* direction) const {
  return passes() && in.passed ? &in.passed->left[options.name + direction] : nullptr;
}

std::unique_ptr<AttentionMemory> RecurrentMixer::memory() const { return std::make_unique<StateMemory>(); }

Mixed RecurrentMixer::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(x, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory(options.name.c_str(), memory);
  Tensor words = of_last(in.words, x.size(1));
  Variable y = pass_on(words_only(x, words), words, kept.words(), kept.state, left_in(in, ""));
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", y)};
}

Variable previous_words(const Variable& x, const Variable& before) {
  Variable first = before.defined() ? before : Variable(Tensor::zeros({x.size(0), 1, x.size(2)}, x.dtype()));
  return concat({first, slice(x, 1, 0, x.size(1) - 1)}, 1);
}

Variable last_word(const Variable& x) { return slice(x, 1, x.size(1) - 1, x.size(1)); }

}  // namespace heed::nn
