#include "autograd/ops_attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/row_places.h"

namespace heed {
namespace {

// Keys or values [B, S, G, N] -> [B, H, S, N]: each group once for every head that reads it, in its order.
Variable for_heads(const Variable& x, int64_t H) {
  int64_t B = x.size(0), S = x.size(1), G = x.size(2), N = x.size(3);
  Variable repeated = expand(unsqueeze(permute(x, {0, 2, 1, 3}), 2), {B, G, H / G, S, N});
  return reshape(repeated, {B, H, S, N});
}

// bool [T, S]: which pairs the window and the block list allow.
Tensor allowed_by_blocks(int64_t T, int64_t S, const AttentionTiles& o) {
  int64_t left = std::min(o.left, kAllKeys), right = o.causal ? 0 : std::min(o.right, kAllKeys), size = o.blocks.size;
  Tensor mask = Tensor::empty({T, S}, DType::boolean), keep = o.blocks.keep;
  bool* m = mask.data<bool>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) {
      bool in_window = s >= o.first + t - left && s <= o.first + t + right;
      *m++ = in_window && (!keep.defined() || keep.at({t / size, s / size}) != 0);
    }
  return mask;
}

AttentionTiles with_bias(const AttentionTiles& o, const Variable& bias) {
  if (!bias.defined()) return o;
  if (o.bias.defined())
    throw ValueError(
        "tiled_attention: takes one bias; got one as an input and one in the options; hint: add them first");
  AttentionTiles all = o;
  all.bias = bias.value();
  return all;
}

}  // namespace

Variable tiled_attention_composed(const Variable& q, const Variable& k, const Variable& v, const Variable& bias,
                                  const AttentionTiles& o) {
  tiles::check(q.value(), k.value(), v.value(), with_bias(o, bias));
  Variable scores = matmul(permute(q, {0, 2, 1, 3}) * o.scale, transpose(for_heads(k, q.size(2)), -2, -1));
  if (bias.defined()) scores = scores + bias;
  if (o.bias.defined()) scores = scores + Variable(o.bias);
  if (o.allowed.defined()) scores = masked_fill(scores, logical_not(o.allowed), -INFINITY);
  if (o.causal || o.left < kAllKeys || o.right < kAllKeys || o.blocks.keep.defined())
    scores = masked_fill(scores, logical_not(allowed_by_blocks(q.size(1), k.size(1), o)), -INFINITY);
  Generator stream(o.seed, o.offset);
  Variable weights = dropout(softmax(scores, -1), o.dropout, stream);
  return permute(matmul(weights, for_heads(v, q.size(2))), {0, 2, 1, 3});
}
Variable tiled_attention_composed(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o) {
  return tiled_attention_composed(q, k, v, Variable(), o);
}

Variable tiled_attention(const Variable& q, const Variable& k, const Variable& v, const Variable& bias,
                         const AttentionTiles& given) {
  AttentionTiles o = with_bias(given, bias);
  TiledContext seen = tiled_attention(q.value(), k.value(), v.value(), o);
  // The masks and the bias in the options, to refuse a backward pass after one has been overwritten.
  std::vector<Saved> watched;
  for (const Tensor* t : {&given.allowed, &given.blocks.keep, &given.bias})
    if (t->defined()) watched.push_back(save(*t));
  auto unchanged = [watched](Grads& g) {
    for (const Saved& s : watched) (void)g[s];
  };
  auto fast = [sq = save(q), sk = save(k), sv = save(v), sb = save_optional(bias), c = save_output(seen.context),
               top = seen.top, total = seen.total, o, unchanged, rows = row_places()](Grads& g, const Variable& dc) {
    RowScope scope(rows);  // of the forward pass: this may be another thread
    unchanged(g);
    (void)sb.in(g);
    bool bias_too = sb.saved && g.needs(3);
    TiledGrads d = tiled_attention_backward(g[sq].value(), g[sk].value(), g[sv].value(), {g[c].value(), top, total},
                                            dc.value(), o, {g.needs(0), g.needs(1) || g.needs(2), bias_too});
    if (g.needs(0)) g.add(0, d.q);
    if (g.needs(1)) g.add(1, d.k);
    if (g.needs(2)) g.add(2, d.v);
    if (bias_too) g.add(3, d.bias);
  };
  auto composed = [sq = save(q), sk = save(k), sv = save(v), sb = save_optional(bias), given, unchanged](Grads& g) {
    unchanged(g);
    return tiled_attention_composed(g[sq], g[sk], g[sv], sb.in(g), given);
  };
  return bias.defined() ? attach_fused("tiled_attention", {q, k, v, bias}, seen.context, fast, composed)
                        : attach_fused("tiled_attention", {q, k, v}, seen.context, fast, composed);
}
Variable tiled_attention(const Variable& q, const Variable& k, const Variable& v, const AttentionTiles& o) {
  return tiled_attention(q, k, v, Variable(), o);
}

Tensor log_sum_exp(const TiledContext& seen) { return add(seen.top, log(seen.total)); }

}  // namespace heed
