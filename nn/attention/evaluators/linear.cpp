#include "nn/attention/evaluators/linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// z is the sum that values of 1 give: [v 1], so that one product makes M and z.
Variable with_ones(const Variable& v) {
  Shape one = v.shape();
  one[one.rank() - 1] = 1;
  return concat({v, Variable(Tensor::ones(one, v.dtype()))}, -1);
}

// [numerator denominator] -> their quotient; a query that reads nothing has 0 / 0, and gets 0.
Variable quotient(const Variable& numerator, const Variable& denominator) {
  return numerator / masked_fill(denominator, equal(denominator.value(), 0), 1);
}
Variable quotient(const Variable& sums) {
  int64_t V = sums.size(-1) - 1;
  return quotient(slice(sums, -1, 0, V), slice(sums, -1, V, V + 1));
}

Variable sums_of(const Variable& k, const Variable& v) { return matmul(transpose(k, -2, -1), v); }  // [.., K, V + 1]

// What queries [.., T, K] read of `sums` and of the keys [.., S, K] whose places are not after theirs, where query t is
// at the place of key first + t. Chunk by chunk: the sums of all keys before the chunk, and a triangle inside it.
Variable causal_sums(const Variable& q, const Variable& k, const Variable& v, Variable sums, int64_t first, int64_t C) {
  int64_t T = q.size(-2), S = k.size(-2), summed = 0;
  std::vector<Variable> read;
  for (int64_t t = 0; t < T; t += C) {
    int64_t until = std::min(T, t + C), begin = std::min(S, first + t), end = std::min(S, first + until);
    if (begin > summed) sums = sums + sums_of(slice(k, -2, summed, begin), slice(v, -2, summed, begin));
    summed = begin;
    Variable queries = slice(q, -2, t, until), products = matmul(queries, transpose(slice(k, -2, begin, end), -2, -1));
    read.push_back(matmul(queries, sums) + matmul(tril(products), slice(v, -2, begin, end)));
  }
  return concat(read, -2);
}

Variable no_sums(const Variable& k, const Variable& v) {
  Shape shape = k.shape();
  shape[shape.rank() - 2] = k.size(-1), shape[shape.rank() - 1] = v.size(-1);
  return Tensor::zeros(shape, k.dtype());
}

}  // namespace

Variable linear_features(const Variable& x) {
  Tensor negative = less(x.value(), 0);
  return where(negative, exp(masked_fill(x, logical_not(negative), 0)), x + 1);
}

std::string LinearEvaluator::refuses(const StageSet& stages) const {
  if (!stages.score.product_scale()) return "the score is not a product of query and key";
  if (!stages.normaliser.is_softmax()) return "it takes the place of a softmax, and the normaliser is not one";
  if (!stages.scope.only_limits_order()) return "running sums know everything or everything before, no other scope";
  if (stages.position.has_bias()) return "the position adds to scores that are never made";
  if (stages.position.has_read()) return "the position adds to values by weights that are never stored";
  if (stages.dropout.options.p > 0)
    return "the dropout of attention weights would drop weights that are never stored; set it to 0 "
           "(--attention-dropout 0)";
  if (stages.sequential()) return "a stage reads the weights of the step before";
  return "";
}

Attended LinearEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  if (call.bias.defined())
    throw ValueError(
        fmt::format("linear: scores are never made, so nothing can be added to them; got a bias {}; hint: a mask, or "
                    "the evaluator auto",
                    to_string(call.bias.shape())));
  bool heads = call.queries.rank() == 4, causal = call.restriction.right == 0;
  const Places& p = context.places;
  Tensor allowed = heads ? beside_heads(call.allowed) : call.allowed;
  bool same_for_queries = !allowed.defined() || (allowed.size(-2) == 1 && (allowed.rank() < 4 || allowed.size(1) == 1));
  bool in_order = !causal || (p.regular() && p.first_query >= p.first_key);
  if (call.weights || !same_for_queries || !in_order || call.queries.size(-2) == 0) {
    Variable w = implied_weights(stages, call, context);
    if (call.report) Observe::report(w.value());
    return {matmul(w, for_heads(call.values, w.size(1))), w};
  }
  Variable q = linear_features(stages.score.prepare_query(call.queries)), k = linear_features(call.keys);
  Variable v = call.values;
  if (allowed.defined()) {
    Tensor padding = logical_not(allowed).squeeze(-2).unsqueeze(-1);  // [.., S, 1]
    k = masked_fill(k, padding, 0), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  if (!causal) return {quotient(matmul(q, for_heads(sums_of(k, v), q.size(1))))};
  k = for_heads(k, q.size(1)), v = for_heads(v, q.size(1));
  return {quotient(causal_sums(q, k, v, no_sums(k, v), p.first_query - p.first_key, chunk))};
}

Variable LinearEvaluator::implied_weights(const StageSet& stages, const AttentionCall& call,
                                          StageContext& context) const {
  Variable q = linear_features(stages.score.prepare_query(call.queries));
  Variable products = matmul(q, transpose(for_heads(linear_features(call.keys), q.size(1)), -2, -1));  // [.., T, S]
  Tensor allowed = allowed_by(call, context.places);
  if (allowed.defined()) products = masked_fill(products, logical_not(allowed), 0);
  return quotient(products, sum(products, {-1}, true));
}

std::unique_ptr<AttentionMemory> LinearEvaluator::memory() const { return std::make_unique<LinearMemory>(); }

Attended LinearEvaluator::step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                               StageContext&) const {
  const auto* state = dynamic_cast<const LinearMemory*>(&memory);
  if (!state)
    throw ValueError("linear: it reads from its own running state; got another memory; hint: memory() makes one");
  if (call.allowed.defined() || call.bias.defined())
    throw ValueError(
        fmt::format("linear: a running state holds no single words that could be masked; got a {}; hint: a key padding "
                    "mask is applied when words are added",
                    call.bias.defined() ? "bias" : "mask"));
  Variable q = linear_features(stages.score.prepare_query(call.queries));
  int64_t H = q.size(1);
  Variable sums = for_heads(state->before(), H);
  Variable k = for_heads(state->features(), H), v = for_heads(state->values(), H);
  if (call.restriction.right == 0) return {quotient(causal_sums(q, k, v, sums, 0, chunk))};
  return {quotient(matmul(q, sums + sums_of(k, v)))};
}

void LinearMemory::append(const HeadMemory& words) {
  Variable k = linear_features(words.keys), v = words.values;
  auto fits = [](const Variable& kept, const Variable& x, int64_t more) {
    return x.rank() == 4 && (!kept.defined() || (kept.size(0) == x.size(0) && kept.size(1) == x.size(1) &&
                                                 kept.size(3) == x.size(3) + more && kept.dtype() == x.dtype()));
  };
  if (!fits(features_, k, 0) || !fits(values_, v, 1) || k.size(2) != v.size(2))
    throw ShapeError(fmt::format("LinearMemory: words must be [B, G, n, ..] and fit those before; got {} and {}",
                                 to_string(k.shape()), to_string(v.shape())));
  if (words.padding_mask.defined()) {
    Tensor padding = logical_not(words.padding_mask).unsqueeze(1).unsqueeze(-1);  // [B, 1, n, 1]
    k = masked_fill(k, padding, 0), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  sums_ = sums_.defined() ? sums_ + sums_of(features_, values_) : no_sums(k, v);
  features_ = k, values_ = v, words_ += k.size(2);
}

HeadMemory LinearMemory::view() const {
  if (!sums_.defined()) return {};
  Variable all = sums_ + sums_of(features_, values_);
  int64_t V = all.size(-1) - 1;
  return {transpose(slice(all, -1, V, V + 1), -2, -1), slice(all, -1, 0, V)};
}

void LinearMemory::keep(const Tensor& rows) {
  for (Variable* x : {&sums_, &features_, &values_})
    if (x->defined()) *x = index_select(*x, 0, rows);
}

int64_t LinearMemory::bytes() const {
  if (!sums_.defined()) return 0;
  return (sums_.count() + features_.count() + values_.count()) * (sums_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
