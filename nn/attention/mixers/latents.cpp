#include "nn/attention/mixers/latents.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

MultiHeadOptions heads_of_model(const MixerOptions& o) { return {.model = o.query, .heads = o.heads}; }

Variable latent_vectors(int64_t M, const MixerOptions& o, Generator& rng) {
  return normal_parameter({M, o.query}, 1, rng);
}
Variable for_each_sentence(const Variable& latents, int64_t B) {
  return expand(unsqueeze(latents, 0), {B, latents.size(0), latents.size(1)});
}

}  // namespace heed::nn
