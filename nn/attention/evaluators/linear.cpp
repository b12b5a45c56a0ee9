#include "nn/attention/evaluators/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

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

constexpr double kNever = -1e30;     // below the logarithm of any feature, and its differences are finite
constexpr double kSpread = 40;       // e^-40 squared is still a normal number in f32
constexpr double kTooSmall = 1e-20;  // a denominator of at least 1 / e^kSpread is far above it

Tensor larger(const Tensor& scale, const Variable& k) {  // the maximum of each feature, [.., 1, K]
  return k.size(-2) == 0 ? scale : maximum(scale, amax(k.value(), {-2}, true));
}
Tensor no_scale(const Variable& k) {
  Shape shape = k.shape();
  shape[shape.rank() - 2] = 1;
  return Tensor::full(shape, kNever, k.dtype());
}

// phi(k) / e^m
Variable scaled_keys(const Variable& k, const Tensor& m) { return exp(k - Variable(m)); }
// phi(q) e^m, divided in each row by its maximum.
Variable scaled_queries(const Variable& q, const Tensor& m) {
  Variable both = q + Variable(m);
  return exp(both - Variable(amax(both.value(), {-1}, true)));
}

ScaledSums at_scale(const ScaledSums& sums, const Tensor& m) {
  return {sums.rows * Variable(exp(sub(sums.scale, m)).transpose(-2, -1)), m};
}
ScaledSums no_sums(const Variable& k, const Variable& v) {
  Shape shape = k.shape();
  shape[shape.rank() - 2] = k.size(-1), shape[shape.rank() - 1] = v.size(-1);
  return {Tensor::zeros(shape, k.dtype()), no_scale(k)};
}
// The sums with the words k [.., n, K], v [.., n, V + 1] added.
ScaledSums with_words(const ScaledSums& sums, const Variable& k, const Variable& v) {
  if (k.size(-2) == 0) return sums;
  ScaledSums out = at_scale(sums, larger(sums.scale, k));
  out.rows = out.rows + matmul(transpose(scaled_keys(k, out.scale), -2, -1), v);
  return out;
}
ScaledSums for_heads(const ScaledSums& sums, int64_t H) {
  return {nn::for_heads(sums.rows, H), nn::for_heads(Variable(sums.scale), H).value()};
}
Variable read(const Variable& q, const ScaledSums& sums) { return matmul(scaled_queries(q, sums.scale), sums.rows); }

// What queries read of `sums` and of the keys that are not after them: query t sees the keys 0 to t. One scale serves
// all queries, unless a later key has so much larger features that what the first query reads would underflow. Then
// each half gets a scale of its own.
void read_in_order(const Variable& q, const Variable& k, const Variable& v, const ScaledSums& sums,
                   std::vector<Variable>& out) {
  int64_t T = q.size(-2), S = k.size(-2);
  Tensor m = larger(sums.scale, k);
  if (S > 1 && k.count() > 0 && amax(sub(m, larger(sums.scale, slice(k, -2, 0, 1)))).item() > kSpread) {
    int64_t half = S / 2;
    Variable first_k = slice(k, -2, 0, half), first_v = slice(v, -2, 0, half);
    read_in_order(slice(q, -2, 0, half), first_k, first_v, sums, out);
    read_in_order(slice(q, -2, half, T), slice(k, -2, half, S), slice(v, -2, half, S),
                  with_words(sums, first_k, first_v), out);
    return;
  }
  Variable queries = scaled_queries(q, m);
  Variable products = matmul(queries, transpose(scaled_keys(k, m), -2, -1));
  out.push_back(quotient(matmul(queries, at_scale(sums, m).rows) + matmul(tril(products), v)));
}

// What queries [.., T, K] read of `sums` and of the keys [.., S, K] whose places are not after theirs, where query t is
// at the place of key first + t. Chunk by chunk: the sums of all keys before the chunk, and a triangle inside it.
Variable causal_context(const Variable& q, const Variable& k, const Variable& v, ScaledSums sums, int64_t first,
                        int64_t C) {
  int64_t T = q.size(-2), S = k.size(-2), summed = 0;
  if (T == 0) return quotient(read(q, sums));
  std::vector<Variable> contexts;
  for (int64_t t = 0; t < T; t += C) {
    int64_t until = std::min(T, t + C), begin = std::min(S, first + t), end = std::min(S, first + until);
    sums = with_words(sums, slice(k, -2, summed, begin), slice(v, -2, summed, begin));
    summed = begin;
    read_in_order(slice(q, -2, t, until), slice(k, -2, begin, end), slice(v, -2, begin, end), sums, contexts);
  }
  return concat(contexts, -2);
}

// The products of each query with the keys that it sees, at a scale of its own: one query at a time, T S K
// exponentials.
Variable products_by_query(const Variable& q, const Variable& k, const Tensor& masked) {
  std::vector<Variable> rows;
  for (int64_t t = 0; t < q.size(-2); ++t) {
    Tensor unseen = masked.size(-2) == 1 ? masked : masked.slice(-2, t, t + 1);  // [.., 1, S]
    Variable seen = masked_fill(k, unseen.transpose(-2, -1), -INFINITY);
    Tensor m = larger(no_scale(seen), seen);
    rows.push_back(matmul(scaled_queries(slice(q, -2, t, t + 1), m), transpose(scaled_keys(seen, m), -2, -1)));
  }
  return concat(rows, -2);
}

}  // namespace

Variable linear_log_features(const Variable& x) {
  Tensor negative = less(x.value(), 0);
  return where(negative, x, log(masked_fill(x, negative, 0) + 1));
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
    return {matmul(w, nn::for_heads(call.values, w.size(1))), w};
  }
  Variable q = linear_log_features(stages.score.prepare_query(call.queries)), k = linear_log_features(call.keys);
  Variable v = call.values;
  if (allowed.defined()) {
    Tensor padding = logical_not(allowed).squeeze(-2).unsqueeze(-1);  // [.., S, 1]
    k = masked_fill(k, padding, -INFINITY), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  if (!causal) return {quotient(read(q, for_heads(with_words(no_sums(k, v), k, v), q.size(1))))};
  k = nn::for_heads(k, q.size(1)), v = nn::for_heads(v, q.size(1));
  return {causal_context(q, k, v, no_sums(k, v), p.first_query - p.first_key, chunk)};
}

Variable LinearEvaluator::implied_weights(const StageSet& stages, const AttentionCall& call,
                                          StageContext& context) const {
  Variable q = linear_log_features(stages.score.prepare_query(call.queries));
  Variable k = nn::for_heads(linear_log_features(call.keys), q.size(1));
  Tensor allowed = allowed_by(call, context.places), masked;
  bool empty = q.count() == 0 || k.count() == 0;
  if (allowed.defined()) masked = logical_not(allowed);
  if (masked.defined() && !empty)
    k = masked_fill(k, equal(amax(allowed.to(DType::f32), {-2}, true), 0).transpose(-2, -1), -INFINITY);
  Tensor m = larger(no_scale(k), k);
  Variable products = matmul(scaled_queries(q, m), transpose(scaled_keys(k, m), -2, -1));  // [.., T, S]
  if (masked.defined()) products = masked_fill(products, masked, 0);
  if (masked.defined() && !empty) {
    // Do the maxima of some query belong to keys that it does not see? Then what it does see may have underflowed.
    Tensor sees = not_equal(amax(allowed.to(DType::f32), {-1}, true), 0);  // [.., T, 1]
    Tensor lost = logical_and(less(sum(products, {-1}, true).value(), kTooSmall), sees);
    if (amax(lost.to(DType::f32)).item() != 0) products = products_by_query(q, k, masked);
  }
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
  Variable q = linear_log_features(stages.score.prepare_query(call.queries));
  int64_t H = q.size(1);
  ScaledSums sums = for_heads(state->before(), H);
  Variable k = nn::for_heads(state->log_features(), H), v = nn::for_heads(state->values(), H);
  if (call.restriction.right == 0) return {causal_context(q, k, v, sums, 0, chunk)};
  return {quotient(read(q, with_words(sums, k, v)))};
}

void LinearMemory::append(const HeadMemory& words) {
  Variable k = linear_log_features(words.keys), v = words.values;
  auto fits = [](const Variable& kept, const Variable& x, int64_t more) {
    return x.rank() == 4 && (!kept.defined() || (kept.size(0) == x.size(0) && kept.size(1) == x.size(1) &&
                                                 kept.size(3) == x.size(3) + more && kept.dtype() == x.dtype()));
  };
  if (!fits(features_, k, 0) || !fits(values_, v, 1) || k.size(2) != v.size(2))
    throw ShapeError(fmt::format("LinearMemory: words must be [B, G, n, ..] and fit those before; got {} and {}",
                                 to_string(k.shape()), to_string(v.shape())));
  if (words.padding_mask.defined()) {
    Tensor padding = logical_not(words.padding_mask).unsqueeze(1).unsqueeze(-1);  // [B, 1, n, 1]
    k = masked_fill(k, padding, -INFINITY), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  sums_ = features_.defined() ? with_words(sums_, features_, values_) : no_sums(k, v);
  features_ = k, values_ = v, words_ += k.size(2);
}

HeadMemory LinearMemory::view() const {
  if (!features_.defined()) return {};
  ScaledSums sums = with_words(sums_, features_, values_);
  Variable all = at_scale(sums, Tensor::zeros(sums.scale.shape(), sums.scale.dtype())).rows;
  int64_t V = all.size(-1) - 1;
  return {transpose(slice(all, -1, V, V + 1), -2, -1), slice(all, -1, 0, V)};
}

void LinearMemory::keep(const Tensor& rows) {
  if (!features_.defined()) return;
  for (Variable* x : {&sums_.rows, &features_, &values_}) *x = index_select(*x, 0, rows);
  sums_.scale = index_select(sums_.scale, 0, rows);
}

int64_t LinearMemory::bytes() const {
  if (!features_.defined()) return 0;
  int64_t numbers = sums_.rows.count() + sums_.scale.count() + features_.count() + values_.count();
  return numbers * (features_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
