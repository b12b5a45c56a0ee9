#include "nn/attention/mixers/attention_on_attention.h"

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"

namespace heed::nn {

AttentionOnAttentionMixer::AttentionOnAttentionMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "attention_on_attention")),
      projections(options, rng),
      information({.in = 2 * o.query, .out = o.query}, rng),
      gate({.in = 2 * o.query, .out = o.query}, rng) {}

Mixed AttentionOnAttentionMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const FourProjections& p = projections;
  Variable query = p.q_proj(x);
  Tensor allowed = allowed_words(options, in.words, x.size(1));
  Attended read = attend(scaled_scores(p.by_heads(query), p.keys(x)), p.values(x), allowed);
  Variable both = concat({p.output(read.context), query}, -1);
  return {call.result("output", information(both) * sigmoid(gate(both))), in.weights ? read.weights : Variable()};
}

}  // namespace heed::nn
