#include "nn/attention/mixers/latents.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

MultiHeadOptions heads_of_model(const MixerOptions& o) { return {.model = o.query, .heads = o.heads}; }

// N(0, 1): as different from each other as words are after a norm.
Variable latent_vectors(int64_t M, const MixerOptions& o, Generator& rng) {
  return normal_parameter({M, o.query}, 1, rng);
}
Variable for_each_sentence(const Variable& latents, int64_t B) {
  return expand(unsqueeze(latents, 0), {B, latents.size(0), latents.size(1)});
}

}  // namespace

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
