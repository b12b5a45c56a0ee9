#include "nn/attention/mixers/external.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

ExternalMixer::ExternalMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "external")),
      q_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {
  require_not_causal(options, "its weights are normalised over all words");
  const int64_t M = options.settings.as<Settings>().memories, K = o.query / o.heads;
  const double std = 1 / std::sqrt(static_cast<double>(K));
  memory_keys = normal_parameter({o.heads, M, K}, std, rng);
  memory_values = normal_parameter({o.heads, M, K}, std, rng);
}

Variable ExternalMixer::memory_weights(const Variable& x, const Tensor& words) const {
  Variable scores = matmul(split_heads(q_proj(x), options.heads), transpose(memory_keys, 1, 2));  // [B, H, T, M]
  if (words.defined()) scores = masked_fill(scores, logical_not(words).unsqueeze(1).unsqueeze(-1), -HUGE_VAL);
  Variable log_a = log_softmax(scores, 2);  // in log space: softmax over m of log a is a divided by its sum
  if (words.defined())
    log_a = masked_fill(log_a, logical_not(words).unsqueeze(1).unsqueeze(-1), 0);  // padding: any row
  return softmax(log_a, 3);
}

Mixed ExternalMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable context = matmul(memory_weights(x, in.words), memory_values);
  return {call.result("output", out_proj(join_heads(context)))};
}

}  // namespace heed::nn
