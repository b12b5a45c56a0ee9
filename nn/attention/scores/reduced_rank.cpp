#include "nn/attention/scores/reduced_rank.h"

#include "nn/attention/scores/dot.h"

namespace heed::nn {

ReducedRankScore::ReducedRankScore(const Options& o, Generator& rng)
    : options(o),
      query({.in = o.query, .out = o.width ? o.width : o.query, .bias = false}, rng),
      key({.in = o.key, .out = query.options.out, .bias = false}, rng) {
  options.width = query.options.out;
}

Variable ReducedRankScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable ReducedRankScore::operator()(const Variable& q, const Variable& prepared) const {
  Call call(*this);
  return call.result("scores", inner_products(query(q), prepared));
}

}  // namespace heed::nn
