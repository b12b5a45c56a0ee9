#include "nn/attention/recurrences/gated_slots.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kSlotRoot = 8;  // of the gates

}  // namespace

SlotsRead read_slots(const SlotWords& w, const Tensor& words, int64_t chunk, const std::vector<Variable>& state) {
  const bool starts = state.empty();
  DecayedSums keys{w.q, w.k, w.write};
  keys.value_decay = w.decay;
  SumsRead scores = sums_of(without_padding(keys, words), chunk, starts ? Variable() : state[0]);  // [B, H, T, M]
  DecayedSums values{softmax(scores.output), w.write, w.v, w.decay};
  SumsRead read = sums_of(without_padding(values, words), chunk, starts ? Variable() : state[1]);
  return {read.output, {scores.state, read.state}};
}

GatedSlotsMixer::GatedSlotsMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "gated_slots"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      forget({.in = o.query, .out = o.heads * settings.slots, .bias = false}, rng),
      norm(ones_parameter({o.query})),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

SlotWords GatedSlotsMixer::words_of(const Variable& x) const {
  const int64_t H = options.heads;
  Variable decay = -softplus(-split_heads(forget(x), H)) / kSlotRoot;  // log sigmoid(z) = -softplus(-z)
  return {split_heads(silu(query(x)), H), split_heads(silu(key(x)), H), split_heads(silu(value(x)), H), -expm1(decay),
          decay};
}

Variable GatedSlotsMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  SlotsRead read = read_slots(words_of(x), words, settings.chunk, state);
  state = read.state;
  return output(rms_norm(silu(join_heads(read.output)), norm));
}

}  // namespace heed::nn
