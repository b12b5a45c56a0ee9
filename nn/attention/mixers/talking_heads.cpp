#include "nn/attention/mixers/talking_heads.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

TalkingHeadsMixer::TalkingHeadsMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "talking_heads")),
      projections(options, rng),
      mix_scores(zeros_parameter({o.heads, o.heads})),
      mix_weights(zeros_parameter({o.heads, o.heads})) {
  for (Variable& mix : {std::ref(mix_scores), std::ref(mix_weights)})
    mix.set_value(Tensor::eye(o.heads, parameter_dtype()));
}

Mixed TalkingHeadsMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const FourProjections& p = projections;
  Variable v = p.by_heads(words_only(p.v_proj(x), in.words));
  Variable scores = einsum("bhts,hg->bgts", {scaled_scores(p.queries(x), p.keys(x)), mix_scores});
  Tensor allowed = allowed_words(options, in.words, x.size(1));
  if (allowed.defined()) scores = masked_fill(scores, logical_not(allowed), -HUGE_VAL);
  Variable weights = einsum("bgts,gf->bfts", {softmax(scores), mix_weights});
  return {call.result("output", p.output(matmul(weights, v))), in.weights ? weights : Variable()};
}

}  // namespace heed::nn
