#include "nn/attention/mixers/gated_unit.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
GatedUnitMixer::GatedUnitMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "gated_unit")),
      settings(options.settings.as<Settings>()),
      u_proj({.in = o.query, .out = o.query * settings.inner}, rng),
      v_proj({.in = o.query, .out = o.query * settings.inner}, rng),
      z_proj({.in = o.query, .out = settings.width}, rng),
      gamma(ones_parameter({2, settings.width})),
      beta(zeros_parameter({2, settings.width})),
      out_proj({.in = o.query * settings.inner, .out = o.query}, rng) {}

Mixed GatedUnitMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1);
  Variable u = silu(u_proj(x)), v = words_only(silu(v_proj(x)), in.words), z = silu(z_proj(x));
  auto of = [&](int64_t i) { return z * select(gamma, 0, i) + select(beta, 0, i); };
  Tensor counted = word_factors(x, in.words);  // [B, T]
  Tensor n = options.causal ? cumsum(counted, 1) : sum(counted, {1}, true);
  n = maximum(n, Tensor::ones({1}, n.dtype())).unsqueeze(-1);  // [B, T or 1, 1]
  Variable weights = square(relu(matmul(of(0), transpose(of(1), 1, 2)) / Variable(n)));
  Tensor allowed = allowed_words(options, in.words, T);
  if (allowed.defined()) weights = masked_fill(weights, logical_not(allowed.squeeze(1)), 0);
  Variable y = out_proj(u * matmul(weights, v));
  return {call.result("output", y), in.weights ? unsqueeze(weights, 1) : Variable()};
}

}  // namespace heed::nn
