#include "nn/attention/mixers/fastformer.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// sum_t softmax_t(w . y_t / sqrt(K)) y_t over the words; y [B, H, T, K] -> [B, H, 1, K]
Variable pooled(const Variable& y, const Variable& w, const Tensor& words) {
  Variable scores = matmul(y, w) / std::sqrt(static_cast<double>(y.size(3)));  // [B, H, T, 1]
  if (words.defined()) scores = masked_fill(scores, logical_not(words).unsqueeze(1).unsqueeze(-1), -HUGE_VAL);
  return matmul(transpose(softmax(scores, 2), 2, 3), y);
}

}  // namespace

FastformerMixer::FastformerMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "fastformer")),
      q_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      k_proj({.in = o.query, .out = o.query}, rng),
      query_scores(uniform_parameter({o.heads, o.query / o.heads, 1}, o.query / o.heads, rng)),
      key_scores(uniform_parameter({o.heads, o.query / o.heads, 1}, o.query / o.heads, rng)),
      out_proj({.in = o.query, .out = o.query}, rng) {
  require_not_causal(options, "its one query is a sum over all words");
}

Mixed FastformerMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable queries = words_only(q_proj(x), in.words), q = split_heads(queries, options.heads);
  Variable p = pooled(q, query_scores, in.words) * split_heads(words_only(k_proj(x), in.words), options.heads);
  Variable u = pooled(p, key_scores, in.words) * q;
  return {call.result("output", out_proj(join_heads(u)) + queries)};
}

}  // namespace heed::nn
