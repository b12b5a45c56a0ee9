#include "autograd/ops_attention.h"

#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// Keys or values [B, S, G, N] -> [B, H, S, N]: each group once for every head that reads it, in its order.
Variable for_heads(const Variable& x, int64_t H) {
  int64_t B = x.size(0), S = x.size(1), G = x.size(2), N = x.size(3);
  Variable repeated = expand(unsqueeze(permute(x, {0, 2, 1, 3}), 2), {B, G, H / G, S, N});
  return reshape(repeated, {B, H, S, N});
}

Tensor seen_by_causal(int64_t T, int64_t S, int64_t first) {
  Tensor mask = Tensor::empty({T, S}, DType::boolean);
  bool* m = mask.data<bool>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) *m++ = s <= first + t;
  return mask;
}

}  // namespace

Variable tiled_attention_composed(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o) {
  Variable scores = matmul(permute(q, {0, 2, 1, 3}) * o.scale, transpose(for_heads(k, q.size(2)), -2, -1));
  if (o.bias.defined()) scores = scores + Variable(o.bias);
  if (o.allowed.defined()) scores = masked_fill(scores, logical_not(o.allowed), -INFINITY);
  if (o.causal) scores = masked_fill(scores, logical_not(seen_by_causal(q.size(1), k.size(1), o.first)), -INFINITY);
  Generator stream(o.seed, o.offset);
  Variable weights = dropout(softmax(scores, -1), o.dropout, stream);
  return permute(matmul(weights, for_heads(v, q.size(2))), {0, 2, 1, 3});
}

Variable tiled_attention(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o) {
  TiledContext seen = tiled_attention(q.value(), k.value(), v.value(), o);
  // The options, with a mask and a bias that are still those of the forward pass.
  std::vector<Saved> watched;
  for (const Tensor* t : {&o.allowed, &o.bias})
    if (t->defined()) watched.push_back(save(*t));
  auto options = [o, watched](Grads& g) {
    for (const Saved& s : watched) (void)g[s];
    return o;
  };
  auto fast = [sq = save(q), sk = save(k), sv = save(v), c = save_output(seen.context), top = seen.top,
               total = seen.total, options](Grads& g, const Variable& dc) {
    TiledGrads d = tiled_attention_backward(g[sq].value(), g[sk].value(), g[sv].value(), {g[c].value(), top, total},
                                            dc.value(), options(g), {g.needs(0), g.needs(1) || g.needs(2)});
    if (g.needs(0)) g.add(0, d.q);
    if (g.needs(1)) g.add(1, d.k);
    if (g.needs(2)) g.add(2, d.v);
  };
  return attach_fused("tiled_attention", {q, k, v}, seen.context, fast,
                      [sq = save(q), sk = save(k), sv = save(v), options](Grads& g) {
                        return tiled_attention_composed(g[sq], g[sk], g[sv], options(g));
                      });
}

Tensor log_sum_exp(const TiledContext& seen) { return add(seen.top, log(seen.total)); }

}  // namespace heed
