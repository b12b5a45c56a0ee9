#include "nn/attention/mixers/persistent.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tensor/rearrange.h"

namespace heed::nn {

PersistentMixer::PersistentMixer(const MixerOptions& o, Generator& rng) : OwnHeadsMixer(o, "persistent", rng) {
  const int64_t N = options.settings.as<Settings>().memories, K = head_width(options);
  if (N == 0) return;
  if (options.name == "memory_tokens") {
    tokens = normal_parameter({N, o.query}, 1, rng);
  } else {
    keys = normal_parameter({o.heads, N, K}, 1, rng);
    values = normal_parameter({o.heads, N, K}, 1 / std::sqrt(static_cast<double>(N)), rng);
  }
}

std::pair<Variable, Variable> PersistentMixer::memory_heads() const {
  if (!tokens.defined()) return {keys, values};
  std::vector<Variable> qkv = chunk(linear(tokens, in_proj_weight, in_proj_bias), 3, -1);
  auto cut = [&](const Variable& y) { return select(split_heads(unsqueeze(y, 0), options.heads), 0, 0); };
  return {cut(qkv[1]), cut(qkv[2])};
}

Attended PersistentMixer::read(const OwnHeads& h) const {
  auto memory = memory_heads();
  if (!memory.first.defined()) return attend(h.scores(), h.v, h.allowed);
  const int64_t B = h.q.size(0), H = h.q.size(1), T = h.q.size(2), K = h.q.size(3), N = memory.first.size(1);
  auto with_memory = [&](const Variable& words, const Variable& more) {
    return concat({words, expand(unsqueeze(more, 0), {B, H, N, K})}, 2);
  };
  OwnHeads all = h;
  all.k = with_memory(h.k, memory.first), all.v = with_memory(h.v, memory.second);
  if (h.allowed.defined()) all.allowed = pad(h.allowed, {{.axis = -1, .after = N}}, 1);
  Attended read = attend(all.scores(), all.v, all.allowed);
  return {read.context, slice(read.weights, -1, 0, T)};
}

}  // namespace heed::nn
