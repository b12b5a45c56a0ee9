#include "nn/attention/scores/location_aware.h"

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"

namespace heed::nn {

LocationAwareScore::LocationAwareScore(const Options& o, Generator& rng)
    : options(completed_stage(Kind::score, o, "location_aware")),
      settings(options.settings.as<Settings>()),
      query({.in = o.query, .out = width_or(settings.width, o), .bias = false}, rng),
      key({.in = o.key, .out = width_or(settings.width, o)}, rng),
      filters(uniform_parameter({settings.filters, settings.kernel}, settings.kernel, rng)),
      location({.in = settings.filters, .out = width_or(settings.width, o), .bias = false}, rng),
      v(uniform_parameter({width_or(settings.width, o)}, width_or(settings.width, o), rng)) {}

Variable LocationAwareScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", key(keys));
}

Variable LocationAwareScore::features(const Variable& previous) const {
  int64_t J = filters.size(1);
  Variable around = pad(previous, {{.axis = 1, .before = J / 2, .after = J - 1 - J / 2}});
  return linear(unfold(around, 1, J, 1), filters, {});  // windows [B, S, J]
}

Variable LocationAwareScore::scores(const Variable& q, const Variable& prepared, StageContext& context) const {
  int64_t T = q.size(-2), S = prepared.size(-2), A = v.size(0);
  int64_t B = q.rank() == 4 ? q.size(0) * q.size(1) : q.size(0);  // heads in the batch
  Variable hidden_query = reshape(query(q), {B, T, A}), keys = reshape(prepared, {B, S, A});
  if (const AlignmentState* state = context.state; state && state->weights.defined()) {
    Variable a = settings.cumulative ? state->total : state->weights;
    a = reshape(a, {B, a.size(-1)});
    if (a.size(1) < S) a = pad(a, {{.axis = 1, .after = S - a.size(1)}});  // keys added since had the weight 0
    keys = keys + location(features(a));
  }
  Variable e = additive_score(hidden_query, keys, v);
  return q.rank() == 4 ? reshape(e, {q.size(0), q.size(1), T, S}) : e;
}

}  // namespace heed::nn
