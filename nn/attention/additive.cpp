#include "nn/attention/additive.h"

#include "nn/attention/additive_score.h"
#include "nn/init.h"

namespace heed::nn {

AdditiveAttention::AdditiveAttention(const Options& o, Generator& rng)
    : options(o),
      query({.in = o.query, .out = o.width, .bias = false}, rng),
      key({.in = o.key, .out = o.width}, rng),
      v(uniform_parameter({o.width}, o.width, rng)) {}

Variable AdditiveAttention::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable AdditiveAttention::score(const Variable& q, const Variable& prepared) const {
  Call call(*this);
  return call.result("scores", additive_score(query(q), prepared, v));
}

Attended AdditiveAttention::operator()(const Variable& q, const Variable& prepared, const Variable& values,
                                       const Tensor& allowed) const {
  Call call(*this);
  Attended seen = attend(score(q, prepared), values, allowed);
  return {call.result("context", seen.context), call.result("weights", seen.weights)};
}

}  // namespace heed::nn
