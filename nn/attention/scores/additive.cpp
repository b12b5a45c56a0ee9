#include "nn/attention/scores/additive.h"

#include "autograd/ops.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"

namespace heed::nn {
namespace {
ScoreOptions with_width(ScoreOptions o) {
  if (o.width == 0) o.width = o.query;
  return o;
}
}  // namespace

AdditiveScore::AdditiveScore(const Options& o, Generator& rng)
    : options(with_width(o)),
      query({.in = o.query, .out = options.width, .bias = false}, rng),
      key({.in = o.key, .out = options.width}, rng),
      v(uniform_parameter({options.width}, options.width, rng)) {}

Variable AdditiveScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable AdditiveScore::operator()(const Variable& q, const Variable& prepared) const {
  Call call(*this);
  return call.result("scores", additive_score(query(q), prepared, v));
}

ConcatScore::ConcatScore(const Options& o, Generator& rng)
    : options(with_width(o)),
      weight(uniform_parameter({options.width, o.query + o.key}, o.query + o.key, rng)),
      v(uniform_parameter({options.width}, options.width, rng)) {}

Variable ConcatScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", linear(keys, slice(weight, 1, options.query, options.query + options.key), {}));
}

Variable ConcatScore::operator()(const Variable& q, const Variable& prepared) const {
  Call call(*this);
  return call.result("scores", additive_score(linear(q, slice(weight, 1, 0, options.query), {}), prepared, v));
}

}  // namespace heed::nn
