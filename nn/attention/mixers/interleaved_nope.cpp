#include "nn/attention/mixers/interleaved_nope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

InterleavedNopeMixer::InterleavedNopeMixer(const MixerOptions& o, Generator& rng)
    : RowsMixer(o, "interleaved_nope"),
      settings(options.settings.as<Settings>()),
      query(bare_layer(o.query, o.query, rng)),
      key(bare_layer(o.query, o.query, rng)),
      value(bare_layer(o.query, o.query, rng)),
      output(bare_layer(o.query, o.query, rng)) {
  if (head_width(options) % 2 != 0)
    throw ValueError(
        fmt::format("interleaved_nope: rotated heads must have an even width; got {}", head_width(options)));
}

Variable InterleavedNopeMixer::placed(const Variable& x, const Places& p) const {
  if (!has_positions()) return x;
  const RopeOptions rope{.layout = RopeLayout::interleaved, .base = 500000, .first = p.first_query, .at = p.query_at};
  return reshape(rms_norm(rotate_pairs(in_parts(x, options.heads), rope)), x.shape());
}

Variable InterleavedNopeMixer::rows_of(const Variable& x, const Places& p) const {
  return concat({placed(key(x), p), value(x)}, -1);
}

Variable InterleavedNopeMixer::queries_of(const Variable& x, const Places& p) const {
  Variable q = split_heads(placed(query(x), p), options.heads) / std::sqrt(static_cast<double>(head_width(options)));
  if (has_positions()) return q;
  const Tensor at = places_of_queries(p);
  Tensor growth = Tensor::empty({at.size(0), 1, at.size(1), 1}, DType::f64);  // a_t
  for (int64_t i = 0; i < at.count(); ++i) {  // padding before the first word is at places below 0
    const int64_t steps = std::max<int64_t>(0, at.data<int64_t>()[i] + 1) / settings.floor;
    growth.data<double>()[i] = 1 + settings.growth * std::log1p(static_cast<double>(steps));
  }
  return q * Variable(growth.to(x.dtype()));
}

HeadMemory InterleavedNopeMixer::keys_of(const Variable& rows) const {
  const std::vector<Variable> kv = chunk(rows, 2, -1);
  return {split_heads(kv[0], options.heads), split_heads(kv[1], options.heads)};
}

Variable InterleavedNopeMixer::output_of(const Variable& contexts) const { return output(join_heads(contexts)); }

bool InterleavedNopeMixer::reads(int64_t t, int64_t s) const {
  return RowsMixer::reads(t, s) && (!has_positions() || t / settings.chunk == s / settings.chunk);
}

}  // namespace heed::nn
