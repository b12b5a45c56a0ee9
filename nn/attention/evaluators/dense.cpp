#include "nn/attention/evaluators/dense.h"

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/positions/by_key_head.h"
#include "nn/attention/positions/reads_keys.h"
#include "nn/attention/positions/reads_scores.h"
#include "nn/attention/positions/reads_words.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

namespace {

// Rows [begin, end) of what has an axis of queries, the last but one; of what has none, all.
template <class X>
X rows(const X& x, int64_t begin, int64_t end) {
  if (!x.defined() || x.rank() < 2 || x.size(-2) == 1) return x;
  if constexpr (std::is_same_v<X, Tensor>)
    return x.slice(-2, begin, end);
  else
    return slice(x, -2, begin, end);
}

}  // namespace

AttentionCall rows_of(const AttentionCall& call, int64_t begin, int64_t end) {
  AttentionCall some = call;
  if (some.queries.defined()) some.queries = slice(call.queries, -2, begin, end);
  if (some.query_words.defined()) some.query_words = call.query_words.slice(1, begin, end);
  some.allowed = rows(call.allowed, begin, end), some.bias = rows(call.bias, begin, end);
  Restriction& r = some.restriction;
  r.allowed = rows(r.allowed, begin, end);
  r.bias = rows(r.bias, begin, end), r.factor = rows(r.factor, begin, end);
  return some;
}

Variable for_heads(const Variable& x, int64_t H) {
  if (x.rank() != 4 || x.size(1) == H) return x;
  int64_t B = x.size(0), G = x.size(1), S = x.size(2), N = x.size(3);
  return reshape(expand(unsqueeze(x, 2), {B, G, H / G, S, N}), {B, H, S, N});
}

Variable position_bias(const StageSet& stages, const AttentionCall& call, const StageContext& context) {
  const HeadPosition& position = stages.position;
  if (!position.has_bias() || dynamic_cast<const ReadsScores*>(&position)) return {};
  if (dynamic_cast<const ReadsWords*>(&position)) return {};  // it is in call.bias
  double scale = stages.score.product_scale().value_or(1);
  bool heads = call.queries.rank() == 4;
  auto with_heads = [&](const Variable& x) { return heads ? for_heads(x, call.queries.size(1)) : unsqueeze(x, 1); };
  const int64_t H = heads ? call.queries.size(1) : 1;
  Variable bias = by_key_head(with_heads(call.queries), context.places, H,
                              [&](const Variable& q, const Places& at) { return position.bias(q, at, scale); });
  if (const auto* of_keys = dynamic_cast<const ReadsKeys*>(&stages.position))
    bias = bias + by_key_head(with_heads(call.keys), context.places, H,
                              [&](const Variable& k, const Places& at) { return of_keys->bias_of_keys(k, at, scale); });
  return heads ? bias : squeeze(bias, 1);  // of the one head
}

Tensor allowed_by(const AttentionCall& call, const Places& places) {
  const int64_t H = call.queries.rank() == 4 ? call.queries.size(1) : 1;
  Tensor of_scope = mask_by_key_head(places, H, [&](const Places& at) { return mask_of(call.restriction, at); });
  if (call.queries.rank() != 4) return both(call.allowed, of_scope);
  return both(beside_heads(call.allowed), beside_heads(of_scope));
}

Variable biased_scores(const StageSet& stages, const AttentionCall& call, StageContext& context) {
  bool heads = call.queries.rank() == 4;
  Variable keys = heads ? for_heads(call.keys, call.queries.size(1)) : call.keys;
  Variable scores = stages.score(call.queries, keys, context);  // [.., T, S]
  if (stages.position.has_bias())
    if (const auto* reads = dynamic_cast<const ReadsScores*>(&stages.position)) {
      Variable bias = reads->bias_of_scores(heads ? scores : unsqueeze(scores, 1),
                                            heads ? call.queries : unsqueeze(call.queries, 1),
                                            beside_heads(allowed_by(call, context.places)));
      scores = scores + (heads ? bias : squeeze(bias, 1));
    }
  for (const Variable& bias : {position_bias(stages, call, context), call.restriction.bias, call.bias})
    if (bias.defined()) scores = scores + (heads ? beside_heads(bias) : bias);
  return scores;
}

Attended DenseEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  bool heads = call.queries.rank() == 4;
  Variable scores = biased_scores(stages, call, context);
  Variable factor = call.restriction.factor;
  Attended seen = attend(scores, heads ? for_heads(call.values, call.queries.size(1)) : call.values,
                         {.allowed = allowed_by(call, context.places),
                          .normaliser = &stages.normaliser,
                          .factor = heads && factor.defined() ? beside_heads(factor) : factor,
                          .renormalise = call.restriction.renormalise,
                          .dropout = &stages.dropout,
                          .context = &context,
                          .report = call.report,
                          .clean = call.clean});
  if (!stages.position.has_read()) return seen;
  Variable weights = heads ? seen.weights : unsqueeze(seen.weights, 1);
  auto read = [&](const Variable& w, const Places& at) { return stages.position.read(w, at); };
  if (Variable more = by_key_head(weights, context.places, weights.size(1), read); more.defined())
    seen.context = seen.context + (heads ? more : squeeze(more, 1));
  return seen;
}

Attended Evaluator::step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                         StageContext& context) const {
  AttentionCall with_keys = call;
  with_keys.keys = memory.view().keys, with_keys.values = memory.view().values;
  return (*this)(stages, with_keys, context);
}

Variable Evaluator::implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  AttentionCall quiet = call;
  quiet.report = false;
  return DenseEvaluator()(stages, quiet, context).weights;
}

}  // namespace heed::nn
