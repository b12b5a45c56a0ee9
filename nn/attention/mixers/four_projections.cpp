#include "nn/attention/mixers/four_projections.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

FourProjections::FourProjections(const MixerOptions& o, Generator& rng)
    : heads(o.heads),
      q_proj({.in = o.heads * head_width(o), .out = o.query}, rng),
      k_proj({.in = o.query, .out = o.query}, rng),
      v_proj({.in = o.query, .out = o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {}

Tensor word_factors(const Variable& x, const Tensor& words) {
  return words.defined() ? words.to(x.dtype()) : Tensor::ones({x.size(0), x.size(1)}, x.dtype());
}

void require_source(const MixerOptions& o, int64_t longest, int64_t T) {
  if (T > longest)
    throw ValueError(
        fmt::format("{}: it has parameters for {} places; got a sentence of {} words; hint: {}:max_source={}", o.name,
                    longest, T, o.name, T));
}

}  // namespace heed::nn
