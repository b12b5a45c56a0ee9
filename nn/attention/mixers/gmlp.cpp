#include "nn/attention/mixers/gmlp.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

constexpr double kNearZero = 1e-3;

GmlpMixer::GmlpMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "gmlp")),
      settings(options.settings.as<Settings>()),
      linear1({.in = o.query, .out = 2 * o.query * settings.inner}, rng),
      norm({.shape = {o.query * settings.inner}}, rng),
      linear2({.in = o.query * settings.inner, .out = o.query}, rng) {
  const int64_t N = settings.max_source;
  spatial_weight = normal_parameter({N, N}, kNearZero, rng);
  spatial_bias = ones_parameter({N});
}

Mixed GmlpMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1), E = options.query * settings.inner;
  require_source(options, settings.max_source, T);
  Variable z = gelu(linear1(x));
  Variable gated = words_only(norm(slice(z, -1, E, 2 * E)), in.words);
  Variable W = slice(slice(spatial_weight, 0, 0, T), 1, 0, T);
  if (options.causal) W = tril(W);
  Variable gate = matmul(W, gated) + unsqueeze(slice(spatial_bias, 0, 0, T), 1);
  return {call.result("output", linear2(slice(z, -1, 0, E) * gate))};
}

}  // namespace heed::nn
