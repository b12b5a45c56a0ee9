#include "nn/attention/mixers/linformer.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

LinformerMixer::LinformerMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "linformer")),
      settings(options.settings.as<Settings>()),
      projections(options, rng) {
  require_not_causal(options, "each of its keys is a mixture of all words");
  const int64_t r = settings.rank, N = settings.max_source;
  const double std = 1 / std::sqrt(static_cast<double>(r));  // so that E^T E is the identity on average
  E = normal_parameter({r, N}, std, rng);
  F = normal_parameter({r, N}, std, rng);
}

Mixed LinformerMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1);
  require_source(options, settings.max_source, T);
  const FourProjections& p = projections;
  Variable k = p.by_heads(words_only(p.k_proj(x), in.words)), v = p.by_heads(words_only(p.v_proj(x), in.words));
  Variable keys = matmul(slice(E, 1, 0, T), k), values = matmul(slice(F, 1, 0, T), v);  // [B, H, r, K]
  Variable context = attend(scaled_scores(p.queries(x), keys), values).context;
  return {call.result("output", p.output(context))};
}

}  // namespace heed::nn
