// The four projections of multi-head self-attention, for mixers that have it in another form: queries, keys and values
// of each head, and the output from the joined heads. B batch, T words, D width of the model, H heads, K = D/H.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

int64_t require_heads(const MixerOptions& options);   // D. ValueError unless the number of heads divides it
Variable heads_of(const Variable& x, int64_t heads);  // [B, T, D] -> [B, H, T, K]
Variable joined_heads(const Variable& context);       // [B, H, T, K] -> [B, T, D]

struct FourProjections : Module {
  FourProjections(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) {
    v.child("q_proj", q_proj);
    v.child("k_proj", k_proj);
    v.child("v_proj", v_proj);
    v.child("out_proj", out_proj);
  }
  Variable queries(const Variable& x) const { return by_heads(q_proj(x)); }  // [B, T, D] -> [B, H, T, K]
  Variable keys(const Variable& x) const { return by_heads(k_proj(x)); }
  Variable values(const Variable& x) const { return by_heads(v_proj(x)); }
  Variable by_heads(const Variable& projected) const { return heads_of(projected, heads); }
  Variable output(const Variable& context) const { return out_proj(joined_heads(context)); }  // -> [B, T, D]

  int64_t heads;
  Linear q_proj, k_proj, v_proj, out_proj;
};

Variable scaled_scores(const Variable& q, const Variable& k);  // q k^T / sqrt(K)     [.., T, K], [.., S, K]
// Which key a query may attend to: the words, and under `causal` none that comes later. Broadcasts to [B, H, T, T].
Tensor allowed_words(const MixerOptions& options, const Tensor& words, int64_t T);
// 1 for each word and 0 for padding, [B, T], of x's type. x [B, T, D], words bool [B, T] or undefined.
Tensor word_factors(const Variable& x, const Tensor& words);
// The setting max_source. ValueError if T words are more than that.
int64_t require_source(const MixerOptions& options, int64_t T);

}  // namespace heed::nn
