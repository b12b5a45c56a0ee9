#include "nn/attention/scores/additive.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// A, the width of the hidden layer.

// additive_score of q [.., T, A] and keys [.., S, A]; the head axis, if any, is merged into the batch axis.
Variable scores_of(const Variable& q, const Variable& keys, const Variable& v) {
  if (q.rank() != 4) return additive_score(q, keys, v);
  int64_t B = q.size(0), H = q.size(1), T = q.size(2), S = keys.size(2), A = v.size(0);
  return reshape(additive_score(reshape(q, {B * H, T, A}), reshape(keys, {B * H, S, A}), v), {B, H, T, S});
}

}  // namespace

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
  return scores_of(query(q), prepared, v);
}

ConcatScore::ConcatScore(const Options& o, Generator& rng)
    : options(completed_stage(Kind::score, o, "concat")),
      width(width_or(options.settings.as<Settings>().width, o)),
      weight(uniform_parameter({width, o.query + o.key}, o.query + o.key, rng)),
      v(uniform_parameter({width}, width, rng)) {}

Variable ConcatScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", linear(keys, slice(weight, 1, options.query, options.query + options.key), {}));
}

Variable ConcatScore::scores(const Variable& q, const Variable& prepared, StageContext&) const {
  return scores_of(linear(q, slice(weight, 1, 0, options.query), {}), prepared, v);
}

}  // namespace heed::nn
