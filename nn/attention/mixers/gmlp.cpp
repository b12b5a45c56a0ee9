#include "nn/attention/mixers/gmlp.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

int64_t gate_width(const MixerOptions& o) { return o.query * o.settings.whole("inner"); }
constexpr double kNearZero = 1e-3;

}  // namespace

GmlpMixer::GmlpMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "gmlp")),
      linear1({.in = o.query, .out = 2 * gate_width(options)}, rng),
      norm({.shape = {gate_width(options)}}, rng),
      linear2({.in = gate_width(options), .out = o.query}, rng) {
  const int64_t N = options.settings.whole("max_source");
  spatial_weight = normal_parameter({N, N}, kNearZero, rng);
  spatial_bias = ones_parameter({N});
}

Mixed GmlpMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1), E = gate_width(options);
  require_source(options, T);
  Variable z = gelu(linear1(x));
  Variable gated = words_only(norm(slice(z, -1, E, 2 * E)), in.words);
  Variable W = slice(slice(spatial_weight, 0, 0, T), 1, 0, T);
  if (options.causal) W = tril(W);
  Variable gate = matmul(W, gated) + unsqueeze(slice(spatial_bias, 0, 0, T), 1);
  return {call.result("output", linear2(slice(z, -1, 0, E) * gate))};
}

}  // namespace heed::nn
