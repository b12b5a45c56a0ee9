#include "nn/attention/mixers/forgetting.h"

#include "autograd/ops.h"
#include "nn/attention/segment_sums.h"
#include "tensor/elementwise.h"

namespace heed::nn {

ForgettingMixer::ForgettingMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "forgetting", rng), forget({.in = o.query, .out = o.heads}, rng) {}

Variable ForgettingMixer::bias(const Variable& x, const Tensor& words) const {
  Variable log_f = -softplus(-forget(x));  // log sigmoid(z) = -softplus(-z)
  if (words.defined()) log_f = masked_fill(log_f, logical_not(words).unsqueeze(-1), 0);  // padding forgets nothing
  Variable kept = segment_sums(transpose(log_f, 1, 2), -1);  // [B, H, T, T]; 0 for later s, which attend masks
  return options.causal ? kept : kept + transpose(kept, -2, -1);
}

Attended ForgettingMixer::read(const OwnHeads& h) const {
  return attend(h.scores() + bias(h.x, h.words), h.v, h.allowed);
}

}  // namespace heed::nn
