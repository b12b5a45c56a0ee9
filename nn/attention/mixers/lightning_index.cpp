#include "nn/attention/mixers/lightning_index.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/regularisers.h"
#include "nn/attention/scopes/masks.h"
#include "nn/penalties.h"

namespace heed::nn {

LightningIndexMixer::LightningIndexMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "lightning_index", rng),
      settings(options.settings.as<Settings>()),
      index_query({.in = o.query, .out = settings.index_heads * settings.features, .bias = false}, rng),
      index_key({.in = o.query, .out = settings.features, .bias = false}, rng),
      key_norm({.shape = {settings.features}, .eps = 1e-6}, rng),
      index_weight({.in = o.query, .out = settings.index_heads, .bias = false}, rng) {}

Variable LightningIndexMixer::index(const Variable& x) const {
  const int64_t B = x.size(0), T = x.size(1), I = settings.index_heads, n = settings.features;
  const int64_t R = 2 * std::min(settings.pairs, n / 2);
  auto turned = [&](const Variable& y) {  // [B, T, heads, n]
    return R == 0 ? y : concat({rotate_pairs(slice(y, 3, 0, R), {.layout = RopeLayout::halves}), slice(y, 3, R, n)}, 3);
  };
  Variable q = transpose(turned(reshape(index_query(x), {B, T, I, n})), 1, 2);          // [B, I, T, n]
  Variable k = transpose(turned(reshape(key_norm(index_key(x)), {B, T, 1, n})), 1, 2);  // [B, 1, T, n]
  Variable w = unsqueeze(transpose(index_weight(x), 1, 2), -1) / std::sqrt(static_cast<double>(I * n));
  return sum(w * relu(matmul(q, transpose(k, -2, -1))), {1});
}

Tensor LightningIndexMixer::chosen(const Tensor& index, const OwnHeads& h) const {
  const int64_t T = index.size(2);
  Tensor e = h.allowed.defined() ? masked_fill(index, logical_not(h.allowed.squeeze(1)), -INFINITY) : index;
  Tensor best = argtopk(e, std::min(settings.selected, T), -1);  // i64 [B, T, k]
  Tensor one = scatter_add(Variable(Tensor::ones(best.shape(), e.dtype())), best, T).value();
  return greater(one, 0);
}

Attended LightningIndexMixer::read(const OwnHeads& h) const {
  Variable scores = index(h.x.detach());  // [B, T, T]
  Tensor allowed = both(chosen(scores.value(), h).unsqueeze(1), h.allowed);
  Attended seen = attend(h.scores(), h.v, allowed);
  if (trains() && Penalties::active())
    Penalties::add("lightning_index", index_divergence(scores, seen.weights.value(), allowed.squeeze(1), h.words), 1,
                   MeanOver::sentences);
  return seen;
}

}  // namespace heed::nn
