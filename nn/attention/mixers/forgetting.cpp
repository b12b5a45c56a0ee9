#include "nn/attention/mixers/forgetting.h"

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "tensor/elementwise.h"

namespace heed::nn {

ForgettingMixer::ForgettingMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "forgetting", rng), forget({.in = o.query, .out = o.heads}, rng) {}

Variable ForgettingMixer::bias(const Variable& x, const Tensor& words) const {
  Variable log_f = -softplus(-forget(x));  // log sigmoid(z) = -softplus(-z)
  if (words.defined()) log_f = masked_fill(log_f, logical_not(words).unsqueeze(-1), 0);  // padding forgets nothing
  Variable G = unsqueeze(transpose(cumsum(log_f, 1), 1, 2), -1);                         // [B, H, T, 1]
  Variable kept = G - transpose(G, -2, -1);
  // Masked by attend where s > t; there kept is positive and could overflow.
  return options.causal ? masked_fill(kept, logical_not(causal_mask({.queries = x.size(1), .keys = x.size(1)})), 0)
                        : -abs(kept);
}

Attended ForgettingMixer::read(const OwnHeads& h) const {
  return attend(h.scores() + bias(h.x, h.words), h.v, h.allowed);
}

}  // namespace heed::nn
