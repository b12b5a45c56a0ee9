// The four projections of multi-head self-attention, for mixers that have it in another form: queries, keys and values
// of each head, and the output from the joined heads. B batch, T words, D width of the model, H heads, K = D/H.
#pragma once

#include "nn/attention/mixers/heads.h"
#include "nn/layers.h"

namespace heed::nn {

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
  Variable by_heads(const Variable& projected) const { return split_heads(projected, heads); }
  Variable output(const Variable& context) const { return out_proj(join_heads(context)); }  // -> [B, T, D]

  int64_t heads;
  Linear q_proj, k_proj, v_proj, out_proj;
};

// 1 for each word and 0 for padding, [B, T], of x's type. x [B, T, D], words bool [B, T] or undefined.
Tensor word_factors(const Variable& x, const Tensor& words);
// ValueError if T words are more than `longest`, the setting max_source.
void require_source(const MixerOptions& options, int64_t longest, int64_t T);

}  // namespace heed::nn
