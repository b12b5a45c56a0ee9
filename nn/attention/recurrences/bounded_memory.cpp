#include "nn/attention/recurrences/bounded_memory.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/running_logs.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

constexpr double kLargestScore = 32;

}  // namespace

BoundedMemoryMixer::BoundedMemoryMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "bounded_memory"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      slot({.in = o.query, .out = o.heads * settings.slots, .bias = false}, rng),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

Variable BoundedMemoryMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t H = options.heads, T = x.size(1);
  const bool starts = state.empty();
  Variable c = split_heads(clamp(slot(x), -kLargestScore, kLargestScore), H);  // [B, H, T, M]
  if (words.defined()) c = masked_fill(c, logical_not(words).unsqueeze(1).unsqueeze(-1), -INFINITY);
  const Variable before = starts ? Variable() : state[2];
  Variable z = running_log_sum(c, before);
  Variable q = split_heads(query(x), H) / std::sqrt(static_cast<double>(head_width(options)));
  SlotsRead read =
      read_slots({q, split_heads(key(x), H), split_heads(value(x), H), exp(c - finite_scale(z)),
                  rescaled(one_word_earlier(z, before), z)},
                 words, settings.chunk, starts ? std::vector<Variable>{} : std::vector<Variable>{state[0], state[1]});
  state = {read.state[0], read.state[1], slice(z, 2, T - 1, T)};
  return output(join_heads(read.output));
}

}  // namespace heed::nn
