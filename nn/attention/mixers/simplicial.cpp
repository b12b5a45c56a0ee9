#include "nn/attention/mixers/simplicial.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

SimplicialMixer::SimplicialMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "simplicial")),
      projections(options, rng),
      k2_proj({.in = o.query, .out = o.query}, rng),
      v2_proj({.in = o.query, .out = o.query}, rng) {}

Mixed SimplicialMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const FourProjections& p = projections;
  const int64_t B = x.size(0), T = x.size(1), H = options.heads;
  auto kept = [&](const Linear& layer) { return p.by_heads(words_only(layer(x), in.words)); };
  Variable q = p.queries(x), k = kept(p.k_proj), k2 = kept(k2_proj), v = kept(p.v_proj), v2 = kept(v2_proj);
  Variable scores = einsum("bhtd,bhid,bhjd->bhtij", {q, k, k2}) / std::sqrt(static_cast<double>(q.size(3)));
  Tensor allowed = allowed_words(options, in.words, T);  // a pair is allowed where both of its words are
  if (allowed.defined()) {
    Tensor pair = logical_and(allowed.unsqueeze(-1), allowed.unsqueeze(-2));
    scores = masked_fill(scores, logical_not(pair), -HUGE_VAL);
  }
  Variable weights = reshape(softmax(reshape(scores, {B, H, T, T * T})), {B, H, T, T, T});
  Variable context = einsum("bhtij,bhid,bhjd->bhtd", {weights, v, v2});
  return {call.result("output", p.output(context))};
}

}  // namespace heed::nn
