#include "nn/attention/scores/reduced_rank.h"

#include "nn/attention/registry.h"
#include "nn/attention/scores/dot.h"

namespace heed::nn {
ReducedRankScore::ReducedRankScore(const Options& o, Generator& rng)
    : options(completed_stage(Kind::score, o, "reduced_rank")),
      rank(width_or(options.settings.as<Settings>().width, o)),
      query({.in = o.query, .out = rank, .bias = false}, rng),
      key({.in = o.key, .out = rank, .bias = false}, rng) {}

Variable ReducedRankScore::prepare_query(const Variable& q) const { return query(q); }

Variable ReducedRankScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable ReducedRankScore::scores(const Variable& q, const Variable& prepared, StageContext&) const {
  return inner_products(query(q), prepared);
}

}  // namespace heed::nn
