#include "nn/attention/mixers/external.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/registry.h"

namespace heed::nn {

ExternalMixer::ExternalMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "external")),
      heads(options.settings.as<Settings>().widening * options.heads),
      in_proj({.in = o.query, .out = heads * head_width(options)}, rng),
      memory_keys({.in = head_width(options), .out = options.settings.as<Settings>().memories}, rng),
      memory_values({.in = memory_keys.options.out, .out = head_width(options)}, rng),
      out_proj({.in = in_proj.options.out, .out = o.query}, rng) {
  require_not_causal(options, "its weights are normalised over all words");
}

Variable ExternalMixer::memory_weights(const Variable& x, const Tensor& words) const {
  Variable scores = memory_keys(split_heads(in_proj(x), heads));  // [B, c H, T, M]
  if (words.defined()) scores = masked_fill(scores, logical_not(words).unsqueeze(1).unsqueeze(-1), -HUGE_VAL);
  Variable a = softmax(scores, 2);
  return a / (sum(a, {3}, true) + 1e-9);  // padding: 0
}

Mixed ExternalMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable context = memory_values(memory_weights(x, in.words));  // [B, c H, T, K]
  return {call.result("output", out_proj(join_heads(context)))};
}

}  // namespace heed::nn
