#include "nn/attention/scores/additive.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"

namespace heed::nn {

Variable additive_scores(const Variable& q, const Variable& keys, const Variable& v) {
  if (q.rank() != 4) return additive_score(q, keys, v);
  int64_t B = q.size(0), H = q.size(1), T = q.size(2), S = keys.size(2), A = v.size(0);
  return reshape(additive_score(reshape(q, {B * H, T, A}), reshape(keys, {B * H, S, A}), v), {B, H, T, S});
}

AdditiveScore::AdditiveScore(const Options& o, Generator& rng)
    : options(completed_stage(Kind::score, o, "additive")),
      width(width_or(options.settings.as<Settings>().width, o)),
      query({.in = o.query, .out = width, .bias = false}, rng),
      key({.in = o.key, .out = width}, rng),
      v(uniform_parameter({width}, width, rng)) {}

Variable AdditiveScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable AdditiveScore::scores(const Variable& q, const Variable& prepared, StageContext&) const {
  return additive_scores(query(q), prepared, v);
}

}  // namespace heed::nn
