#include "nn/attention/mixers/own_cache.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

std::unique_ptr<AttentionMemory> OwnCacheMixer::memory() const {
  if (!options.causal) return Mixer::memory();
  return std::make_unique<StateMemory>();
}

Attended OwnCacheMixer::read(const OwnHeads& heads) const {
  std::vector<Variable> state;
  return read_after(heads, state);
}

Mixed OwnCacheMixer::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(x, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory(options.name.c_str(), memory);
  const int64_t n = x.size(1), S = kept.words() + n;
  OwnHeads h = heads_of(x, of_last(in.words, n));
  Tensor words = in.words.defined() ? in.words.unsqueeze(1).unsqueeze(1) : Tensor();  // [B, 1, 1, S]
  h.allowed = both(words, causal_mask({.queries = n, .keys = S, .first_query = S - n}).unsqueeze(0).unsqueeze(0));
  Attended a = read_after(h, kept.state);
  kept.append({unsqueeze(x, 1), {}});
  Mixed mixed{call.result("output", out_proj(join_heads(a.context)))};
  if (in.weights) mixed.weights = a.weights;
  return mixed;
}

}  // namespace heed::nn
