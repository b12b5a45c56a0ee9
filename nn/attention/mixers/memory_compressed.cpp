#include "nn/attention/mixers/memory_compressed.h"

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

Variable blocks_of(const Variable& x, int64_t s) {
  const int64_t T = x.size(1), J = (T + s - 1) / s;
  return reshape(pad(x, {{.axis = 1, .after = J * s - T}}), {x.size(0), J, s * x.size(2)});
}

Tensor allowed_blocks(const MixerOptions& o, const Tensor& words, int64_t T, int64_t s) {
  const int64_t J = (T + s - 1) / s;
  Tensor allowed;
  if (words.defined()) {
    Tensor filled = pad(words.to(DType::f32), {{.axis = 1, .after = J * s - T}}).reshape({words.size(0), J, s});
    allowed = greater(amax(filled, {-1}), 0).unsqueeze(1).unsqueeze(1);  // [B, 1, 1, J]
  }
  if (!o.causal) return allowed;
  Tensor first = mul(Tensor::arange(J), static_cast<double>(s)).unsqueeze(0);     // j s
  Tensor full = sub(Tensor::arange(T).unsqueeze(1), static_cast<double>(s - 1));  // t - (s - 1)
  return both(allowed, less_equal(first, full).unsqueeze(0));
}

MemoryCompressedMixer::MemoryCompressedMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "memory_compressed")),
      settings(options.settings.as<Settings>()),
      projections(options, rng),
      k_conv({.in = settings.stride * o.query, .out = o.query}, rng),
      v_conv({.in = settings.stride * o.query, .out = o.query}, rng) {}

Mixed MemoryCompressedMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const FourProjections& p = projections;
  const int64_t s = settings.stride;
  Variable keys = p.by_heads(k_conv(blocks_of(words_only(p.k_proj(x), in.words), s)));  // [B, H, T/s, K]
  Variable values = p.by_heads(v_conv(blocks_of(words_only(p.v_proj(x), in.words), s)));
  Tensor allowed = allowed_blocks(options, in.words, x.size(1), s);
  return {call.result("output", p.output(attend(scaled_scores(p.queries(x), keys), values, allowed).context))};
}

}  // namespace heed::nn
