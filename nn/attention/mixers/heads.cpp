#include "nn/attention/mixers/heads.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

int64_t head_width(const MixerOptions& o) {
  if (o.heads < 1 || o.query % o.heads != 0)
    throw ValueError(fmt::format("{}: the heads must divide the width of the model; got width {} and {} heads", o.name,
                                 o.query, o.heads));
  return o.query / o.heads;
}

Variable split_heads(const Variable& x, int64_t heads) {
  return transpose(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

Variable join_heads(const Variable& x) {
  return reshape(contiguous(transpose(x, 1, 2)), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

Variable scaled_scores(const Variable& q, const Variable& k) {
  return matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
}

Tensor allowed_words(const MixerOptions& o, const Tensor& words, int64_t T) {
  Tensor allowed = words.defined() ? words.unsqueeze(1).unsqueeze(1) : Tensor();
  return o.causal ? both(allowed, causal_mask({.queries = T, .keys = T}).unsqueeze(0).unsqueeze(0)) : allowed;
}

}  // namespace heed::nn
