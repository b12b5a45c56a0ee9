#include "nn/attention/scores/concat.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/additive.h"
#include "nn/init.h"

namespace heed::nn {

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
  return additive_scores(linear(q, slice(weight, 1, 0, options.query), {}), prepared, v);
}

}  // namespace heed::nn
