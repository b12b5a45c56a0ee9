#include "nn/attention/mixers/four_projections.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

int64_t require_heads(const MixerOptions& o) {
  if (o.heads < 1 || o.query % o.heads != 0)
    throw ValueError(fmt::format("{}: the number of heads must divide the width of the model; got {} heads, width {}",
                                 o.name, o.heads, o.query));
  return o.query;
}

FourProjections::FourProjections(const MixerOptions& o, Generator& rng)
    : heads(o.heads),
      q_proj({.in = require_heads(o), .out = o.query}, rng),
      k_proj({.in = o.query, .out = o.query}, rng),
      v_proj({.in = o.query, .out = o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {}

Variable heads_of(const Variable& x, int64_t heads) {
  return permute(reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

Variable joined_heads(const Variable& c) {
  return reshape(permute(c, {0, 2, 1, 3}), {c.size(0), c.size(2), c.size(1) * c.size(3)});
}

Variable scaled_scores(const Variable& q, const Variable& k) {
  return matmul(q, transpose(k, -2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
}

Tensor allowed_words(const MixerOptions& o, const Tensor& words, int64_t T) {
  Tensor allowed = words.defined() ? words.unsqueeze(1).unsqueeze(1) : Tensor();
  return o.causal ? both(allowed, causal_mask({.queries = T, .keys = T}).unsqueeze(0).unsqueeze(0)) : allowed;
}

Tensor word_factors(const Variable& x, const Tensor& words) {
  return words.defined() ? words.to(x.dtype()) : Tensor::ones({x.size(0), x.size(1)}, x.dtype());
}

int64_t require_source(const MixerOptions& o, int64_t T) {
  int64_t longest = o.settings.whole("max_source");
  if (T > longest)
    throw ValueError(
        fmt::format("{}: it has parameters for {} places; got a sentence of {} words; hint: {}:max_source={}", o.name,
                    longest, T, o.name, T));
  return longest;
}

}  // namespace heed::nn
