#include "nn/attention/mixers/multi_token.h"

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {

MultiTokenMixer::MultiTokenMixer(const MixerOptions& o, Generator& rng) : OwnHeadsMixer(o, "multi_token", rng) {
  const auto [queries, keys] = options.settings.as<Settings>();
  Tensor identity = Tensor::zeros({o.heads, queries, keys}, parameter_dtype());
  for (int64_t h = 0; h < o.heads; ++h) identity.set({h, 0, keys / 2}, 1);
  kernel = Variable(identity, Variable::kRequiresGrad);
}

Variable MultiTokenMixer::convolved(const Variable& e) const {
  const int64_t T = e.size(-1), queries = kernel.size(1), keys = kernel.size(2), half = keys / 2;
  Variable wide = pad(e, {{.axis = -2, .before = queries - 1}, {.axis = -1, .before = keys, .after = keys}}), sums;
  for (int64_t a = 0; a < queries; ++a)
    for (int64_t b = 0; b < keys; ++b) {
      Variable rows = slice(wide, -2, queries - 1 - a, queries - 1 - a + T);  // e of query t - a
      Variable shifted = slice(rows, -1, keys - b + half, keys - b + half + T);
      Variable term = reshape(select(select(kernel, 1, a), 1, b), {-1, 1, 1}) * shifted;
      sums = sums.defined() ? sums + term : term;
    }
  return sums;
}

Attended MultiTokenMixer::read(const OwnHeads& h) const {
  Variable e = h.scores();
  Tensor seen = h.words.defined() ? logical_and(h.allowed, h.words.unsqueeze(1).unsqueeze(-1)) : h.allowed;
  if (seen.defined()) e = masked_fill(e, logical_not(seen), 0);  // the queries of padding too
  return attend(convolved(e), h.v, h.allowed);
}

}  // namespace heed::nn
