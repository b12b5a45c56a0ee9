#include "nn/attention/evaluators/partial.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/positions/reads_scores.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// A maximum as a constant to subtract; 0 where it is -inf, since -inf - -inf is no number.
Tensor finite(const Tensor& top) { return where(equal(top, -INFINITY), Tensor::zeros(top.shape(), top.dtype()), top); }

// Columns [begin, end) of what has an axis of keys; of what has none, all.
template <class X>
X cut(const X& x, int64_t begin, int64_t end) {
  if (!x.defined() || x.size(-1) == 1) return x;
  if constexpr (std::is_same_v<X, Tensor>)
    return x.slice(-1, begin, end);
  else
    return slice(x, -1, begin, end);
}

}  // namespace

Partial partial_attention(const Variable& scores, const Variable& values, const Tensor& allowed,
                          const Dropout* dropout) {
  Variable e = allowed.defined() ? masked_fill(scores, logical_not(allowed), -INFINITY) : scores;
  Tensor top = finite(amax(e.value(), {-1}, true));
  Variable shares = exp(e - Variable(top)), total = sum(shares, {-1}, true);
  Tensor none = equal(total.value(), 0);
  Variable divisor = masked_fill(total, none, 1), weights = shares / divisor;
  if (dropout) weights = (*dropout)(weights);
  return {matmul(weights, values), masked_fill(log(divisor) + Variable(top), none, -INFINITY)};
}

Partial merged(const Partial& a, const Partial& b) {
  Tensor top = finite(maximum(a.log_sum.value(), b.log_sum.value()));
  Variable first = exp(a.log_sum - Variable(top)), second = exp(b.log_sum - Variable(top)), total = first + second;
  Tensor none = equal(total.value(), 0);
  Variable divisor = masked_fill(total, none, 1);
  // Divided first: of values near the largest number the sum could overflow, and their mean does not.
  return {a.context * (first / divisor) + b.context * (second / divisor),
          masked_fill(log(divisor) + Variable(top), none, -INFINITY)};
}

Columns columns_of(const StageSet& stages, const AttentionCall& call, const Places& places) {
  bool heads = call.queries.rank() == 4;
  Columns all{.allowed = allowed_by(call, places)};
  for (const Variable& given : {position_bias(stages, call, {.places = places}), call.restriction.bias, call.bias}) {
    if (!given.defined()) continue;
    Variable bias = heads ? beside_heads(given) : given;
    all.bias = all.bias.defined() ? all.bias + bias : bias;
  }
  return all;
}

Partial part_of(const StageSet& stages, const Variable& queries, const Variable& keys, const Variable& values,
                const Columns& columns, int64_t begin, StageContext& context) {
  int64_t end = begin + keys.size(-2), H = queries.size(1);
  bool heads = queries.rank() == 4;
  Variable scores = stages.score(queries, heads ? for_heads(keys, H) : keys, context);
  if (columns.bias.defined()) scores = scores + cut(columns.bias, begin, end);
  return partial_attention(scores, heads ? for_heads(values, H) : values, cut(columns.allowed, begin, end),
                           &stages.dropout);
}

std::string why_not_in_parts(const StageSet& stages) {
  if (!stages.score.product_scale()) return "the score is not a product of query and key";
  if (!stages.normaliser.is_softmax()) return "the normaliser is not a softmax";
  if (stages.scope.modulates()) return "the scope scales weights that are never stored";
  if (stages.position.has_read()) return "the position adds to values by weights that are never stored";
  if (dynamic_cast<const ReadsScores*>(&stages.position))
    return "the position reads all scores of a query side by side";
  if (stages.sequential()) return "a stage reads the weights of the step before";
  return "";
}

}  // namespace heed::nn
