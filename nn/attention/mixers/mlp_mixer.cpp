#include "nn/attention/mixers/mlp_mixer.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

MlpMixer::MlpMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "mlp_mixer")), settings(options.settings.as<Settings>()) {
  require_not_causal(options, "each of its hidden units reads all words");
  const int64_t N = settings.max_source, M = settings.hidden;
  weight1 = xavier_parameter({M, N}, rng);
  bias1 = zeros_parameter({M});
  weight2 = xavier_parameter({N, M}, rng);
  bias2 = zeros_parameter({N});
}

Mixed MlpMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t T = x.size(1);
  require_source(options, settings.max_source, T);
  Variable hidden = gelu(matmul(slice(weight1, 1, 0, T), words_only(x, in.words)) + unsqueeze(bias1, 1));  // [B, M, D]
  Variable y = matmul(slice(weight2, 0, 0, T), hidden) + unsqueeze(slice(bias2, 0, 0, T), 1);
  return {call.result("output", y)};
}

}  // namespace heed::nn
