#include "nn/attention/mixers/cross_covariance.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kLeastLength = 1e-12;
Variable of_length_one(const Variable& y) {  // along the words, [B, H, T, K]
  return y / clamp(norm(y, 2, {2}, true), kLeastLength, HUGE_VAL);
}

}  // namespace

CrossCovarianceMixer::CrossCovarianceMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "cross_covariance")),
      projections(options, rng),
      temperature(ones_parameter({o.heads, 1, 1})) {
  require_not_causal(options, "its weights are sums over all words");
}

Variable CrossCovarianceMixer::entry_weights(const Variable& x, const Tensor& words) const {
  const FourProjections& p = projections;
  Variable q = of_length_one(p.by_heads(words_only(p.q_proj(x), words)));
  Variable k = of_length_one(p.by_heads(words_only(p.k_proj(x), words)));
  return softmax(matmul(transpose(k, 2, 3), q) * temperature, 2);
}

Mixed CrossCovarianceMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable context = matmul(projections.values(x), entry_weights(x, in.words));
  return {call.result("output", projections.output(context))};
}

}  // namespace heed::nn
