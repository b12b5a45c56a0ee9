#include "nn/attention/mixers/shifted.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

MultiHeadOptions heads_of(const MixerOptions& o) {
  return {.model = o.query,
          .heads = o.heads,
          .scope = {.name = default_stage(Kind::scope, o.causal ? Role::causal : Role::stage)}};
}

Variable begin_filters(const MixerOptions& o, Generator& rng) {
  if (o.name == "shifted") return {};
  return normal_parameter({o.settings.as<ShiftedAttention::Settings>().width, o.query}, 0.1, rng);
}

// x_(t - n), 0 before the first word and, for n < 0, after the last.
Variable moved(const Variable& x, int64_t n) {
  const int64_t T = x.size(1), gone = std::min(T, std::abs(n));
  Variable nothing(Tensor::zeros({x.size(0), gone, x.size(2)}, x.dtype()));
  return n >= 0 ? concat({nothing, slice(x, 1, 0, T - gone)}, 1) : concat({slice(x, 1, gone, T), nothing}, 1);
}

}  // namespace

Variable filtered_words(const Variable& x, const Variable& filters, int64_t before) {
  Variable y = x * 0;
  for (int64_t n = 0; n < filters.size(0); ++n) y = y + moved(x, before - n) * select(filters, 0, n);
  return y;
}

ShiftedAttention::ShiftedAttention(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "shifted")),
      filters(begin_filters(options, rng)),
      attention(heads_of(o), rng) {}

Mixed ShiftedAttention::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable z = words_only(x, in.words);
  if (filters.defined()) {
    const int64_t N = filters.size(0);
    z = z + filtered_words(z, filters, options.causal ? N - 1 : (N - 1) / 2);
  } else {
    const int64_t half = x.size(2) / 2;
    z = concat({moved(slice(z, 2, 0, half), 1), slice(z, 2, half, x.size(2))}, 2);
  }
  MultiHeadOutput seen = attention(z, {.words = in.words, .weights = in.weights});
  return {call.result("output", seen.output), seen.weights};
}

}  // namespace heed::nn
