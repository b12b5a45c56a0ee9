#include "nn/attention/mixers/induced.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

AttentionBlock::AttentionBlock(const MixerOptions& o, Generator& rng)
    : attention(heads_of_model(o), rng),
      norm1({.shape = {o.query}}, rng),
      norm2({.shape = {o.query}}, rng),
      linear({.in = o.query, .out = o.query}, rng) {}

Variable AttentionBlock::operator()(const Variable& a, const Variable& b, const Tensor& words) const {
  Variable m = norm1(a + attention(a, b, b, {.words = words}).output);
  return norm2(m + relu(linear(m)));
}

InducedMixer::InducedMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "induced")),
      latents(latent_vectors(options.settings.as<Settings>().latents, o, rng)),
      pack(o, rng),
      unpack(o, rng) {
  require_not_causal(options, "its latent vectors read all words");
}

Mixed InducedMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable packed = pack(for_each_sentence(latents, x.size(0)), x, in.words);
  return {call.result("output", unpack(x, packed))};
}

}  // namespace heed::nn
