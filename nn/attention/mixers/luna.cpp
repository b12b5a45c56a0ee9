#include "nn/attention/mixers/luna.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

LunaMixer::LunaMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "luna")),
      latents(latent_vectors(options.settings.as<Settings>().latents, o, rng)),
      pack(heads_of_model(o), rng),
      unpack(heads_of_model(o), rng) {
  require_not_causal(options, "its latent vectors read all words");
}

Mixed LunaMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable packed = pack(for_each_sentence(latents, x.size(0)), x, x, {.words = in.words}).output;  // [B, M, D]
  return {call.result("output", unpack(x, packed, packed).output)};
}

}  // namespace heed::nn
