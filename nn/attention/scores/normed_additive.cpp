#include "nn/attention/scores/normed_additive.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"
#include "nn/norm.h"

namespace heed::nn {

NormedAdditiveScore::NormedAdditiveScore(const Options& o, Generator& rng)
    : settings(o.settings.as<Settings>()),
      width(width_or(settings.width, o)),
      query({.in = o.query, .out = width, .bias = false}, rng),
      key({.in = o.key, .out = width}, rng),
      v(uniform_parameter({width}, width, rng)),
      g(full_parameter({}, 1 / std::sqrt(static_cast<double>(width)))),
      r(full_parameter({}, settings.offset)) {}

Variable NormedAdditiveScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable NormedAdditiveScore::scores(const Variable& q, const Variable& prepared, StageContext&) const {
  Variable direction = unit_rows(v);
  int64_t T = q.size(-2), S = prepared.size(-2), A = v.size(0);
  int64_t B = q.rank() == 4 ? q.size(0) * q.size(1) : q.size(0);  // heads in the batch
  Variable e = additive_score(reshape(query(q), {B, T, A}), reshape(prepared, {B, S, A}), direction * g) + r;
  return q.rank() == 4 ? reshape(e, {q.size(0), q.size(1), T, S}) : e;
}

}  // namespace heed::nn
