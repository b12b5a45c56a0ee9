#include "nn/attention/evaluators/tiled.h"

#include <optional>
#include <utility>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/evaluators/partial.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "tensor/row_places.h"

namespace heed::nn {
namespace {

// [B, T, N] -> [B, T, 1, N]; [B, H, T, N] -> [B, T, H, N]: as the operation has them.
Variable words_first(const Variable& x) { return x.rank() == 4 ? transpose(x, 1, 2) : unsqueeze(x, 2); }

}  // namespace

std::string TiledEvaluator::refuses(const StageSet& stages) const { return why_not_in_parts(stages); }

Attended TiledEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  bool heads = call.queries.rank() == 4;
  Variable q = words_first(stages.score.prepare_query(call.queries));
  AttentionTiles o{.scale = *stages.score.product_scale()};
  Restriction r = call.restriction;
  const Places& p = context.places;
  // The reach of the scope is the operation's own where distances are those of regular places: excluded blocks cost
  // nothing. What it does not have becomes a mask.
  if (const std::optional<int64_t> after = queries_after_keys(p); after && *after >= 0) {
    o.first = *after;
    if (r.left < kAnyDistance) o.left = std::exchange(r.left, kAnyDistance);
    if (r.right < kAnyDistance) o.right = std::exchange(r.right, kAnyDistance);
  }
  if (r.blocks.keep.defined()) o.blocks = {r.blocks.size, std::exchange(r.blocks.keep, {})};
  o.allowed = both(beside_heads(call.allowed), beside_heads(mask_of(r, p)));  // rank 3: [B, T, S]
  Variable bias;
  for (const Variable& b : {position_bias(stages, call, context), call.restriction.bias, call.bias})
    if (b.defined()) bias = bias.defined() ? bias + beside_heads(b) : beside_heads(b);
  const Dropout& dropout = stages.dropout;
  Variable k = words_first(call.keys), v = words_first(call.values);
  if (dropout.trains() && dropout.options.p > 0) {  // as Dropout would draw for the weights
    const int64_t count = row_places().whole_count({q.size(0), q.size(2), q.size(1), k.size(1)});
    o.dropout = dropout.options.p, o.seed = dropout.rng.seed();
    o.offset = dropout.rng.reserve(static_cast<uint64_t>(dropout_blocks(count)));
  }
  Variable c = tiled_attention(q, k, v, bias, o);  // [B, T, H, V]
  return {heads ? transpose(c, 1, 2) : squeeze(c, 2)};
}

}  // namespace heed::nn
