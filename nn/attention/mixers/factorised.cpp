#include "nn/attention/mixers/factorised.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

int64_t width_of(const FactorisedMixer::Settings& s, const MixerOptions& o) {
  return s.width > 0 ? s.width : std::max<int64_t>(1, 2 * o.query / std::max<int64_t>(1, o.heads));
}

}  // namespace

FactorisedMixer::FactorisedMixer(const MixerOptions& o, Generator& rng)
    : RowsMixer(o, "factorised"),
      settings(options.settings.as<Settings>()),
      width(width_of(settings, options)),
      query_down(bare_layer(o.query, width, rng)),
      query_norm({.shape = {width}}, rng),
      query_up(bare_layer(width, o.heads * width, rng)),
      key(bare_layer(o.query, width, rng)),
      output(bare_layer(o.heads * width, o.query, rng)) {
  if (settings.reuse == 0) {
    value.emplace(bare_layer(o.query, width, rng));
  } else {
    reused.emplace(bare_layer(width, width, rng));
    share = zeros_parameter({width});
  }
}

Variable FactorisedMixer::rows_of(const Variable& x, const Places&) const {
  return reused ? key(x) : concat({key(x), (*value)(x)}, -1);
}

Variable FactorisedMixer::queries_of(const Variable& x, const Places&) const {
  return split_heads(query_up(query_norm(query_down(x))), options.heads) / std::sqrt(static_cast<double>(width));
}

HeadMemory FactorisedMixer::keys_of(const Variable& rows) const {
  const Variable k = slice(rows, -1, 0, width);
  const Variable v = reused ? k + share * (*reused)(k) : slice(rows, -1, width, 2 * width);
  return {unsqueeze(k, 1), unsqueeze(v, 1)};  // one head of keys
}

Variable FactorisedMixer::output_of(const Variable& contexts) const { return output(join_heads(contexts)); }

}  // namespace heed::nn
