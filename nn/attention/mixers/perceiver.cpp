#include "nn/attention/mixers/perceiver.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

PerceiverMixer::Step::Step(const MixerOptions& o, Generator& rng)
    : norm1({.shape = {o.query}}, rng),
      norm2({.shape = {o.query}}, rng),
      attention(heads_of_model(o), rng),
      linear1({.in = o.query, .out = 2 * o.query}, rng),
      linear2({.in = 2 * o.query, .out = o.query}, rng) {}

Variable PerceiverMixer::Step::operator()(const Variable& z, const Variable& x, const Tensor& words) const {
  Variable query = norm1(z), source = x.defined() ? x : query;
  Variable seen = z + attention(query, source, source, {.words = words}).output;
  return seen + linear2(gelu(linear1(norm2(seen))));
}

PerceiverMixer::PerceiverMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "perceiver")),
      latents(latent_vectors(options.settings.as<Settings>().latents, o, rng)),
      write(heads_of_model(o), rng) {
  require_not_causal(options, "its latent vectors read all words");
  for (int64_t i = 0; i <= options.settings.as<Settings>().thoughts; ++i) steps.emplace_back(o, rng);
}

Mixed PerceiverMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable z = steps[0](for_each_sentence(latents, x.size(0)), x, in.words);  // read
  for (size_t i = 1; i < steps.size(); ++i) z = steps[i](z, {}, {});          // think
  return {call.result("output", write(x, z, z).output)};                      // write back
}

}  // namespace heed::nn
