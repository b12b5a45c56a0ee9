#include "nn/attention/evaluators/kernel.h"

#include <fmt/format.h>

#include <optional>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// The places of n vectors of this rank, [.., n, 1]: counted from the first, or given one by one, [B, n].
Tensor places_of(const FeatureMap& map, const Variable& x, int64_t first, const Tensor& at) {
  if (!map.reads_places()) return {};
  if (!at.defined()) return add(Tensor::arange(x.size(-2)), static_cast<double>(first)).unsqueeze(-1);
  return x.rank() == 4 ? at.unsqueeze(1).unsqueeze(-1) : at.unsqueeze(-1);
}

Features of_queries(const KernelEvaluator& by, const StageSet& stages, const Variable& queries, int64_t first,
                    const Tensor& at) {
  Variable q = stages.score.prepare_query(queries);
  return by.features->of_query(q, *stages.score.product_scale(), places_of(*by.features, q, first, at));
}
Features of_keys(const KernelEvaluator& by, const StageSet& stages, const Variable& keys, const Places& p) {
  return by.features->of(keys, *stages.score.product_scale(), places_of(*by.features, keys, p.first_key, p.key_at));
}

}  // namespace

std::string KernelEvaluator::refuses(const StageSet& stages) const {
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

Attended KernelEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  if (call.bias.defined())
    throw ValueError(
        fmt::format("{}: scores are never made, so nothing can be added to them; got a bias {}; hint: a mask, or the "
                    "evaluator auto",
                    name, to_string(call.bias.shape())));
  bool heads = call.queries.rank() == 4, causal = call.restriction.right == 0;
  const Places& p = context.places;
  Tensor allowed = heads ? beside_heads(call.allowed) : call.allowed;
  bool same_for_queries = !allowed.defined() || (allowed.size(-2) == 1 && (allowed.rank() < 4 || allowed.size(1) == 1));
  const std::optional<int64_t> after = queries_after_keys(p);
  bool in_order = !causal || (after && *after >= 0);
  if (call.weights || !same_for_queries || !in_order || call.queries.size(-2) == 0) {
    Variable w = implied_weights(stages, call, context);
    if (call.report) Observe::report(w.value());
    return {matmul(w, nn::for_heads(call.values, w.size(1))), w};
  }
  Features q = of_queries(*this, stages, call.queries, p.first_query, p.query_at);
  Features k = of_keys(*this, stages, call.keys, p);
  Variable v = call.values;
  if (allowed.defined()) {
    Tensor padding = logical_not(allowed).squeeze(-2).unsqueeze(-1);  // [.., S, 1]
    k = without(k, padding), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  int64_t H = call.queries.size(1);
  if (!causal) return {read_sums(q, for_heads(with_words(no_sums(k, v), k, v), H))};
  k = for_heads(k, H), v = nn::for_heads(v, H);
  return {read_causal(q, k, v, no_sums(k, v), *after, chunk)};
}

Variable KernelEvaluator::implied_weights(const StageSet& stages, const AttentionCall& call,
                                          StageContext& context) const {
  const Places& p = context.places;
  return kernel_weights(of_queries(*this, stages, call.queries, p.first_query, p.query_at),
                        for_heads(of_keys(*this, stages, call.keys, p), call.queries.size(1)), allowed_by(call, p));
}

std::unique_ptr<AttentionMemory> KernelEvaluator::memory(const StageSet& stages) const {
  return std::make_unique<KernelMemory>(features, *stages.score.product_scale());
}

Attended KernelEvaluator::step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                               StageContext&) const {
  const auto* state = dynamic_cast<const KernelMemory*>(&memory);
  if (!state)
    throw ValueError(
        fmt::format("{}: it reads from its own running state; got another memory; hint: memory() makes "
                    "one",
                    name));
  if (call.allowed.defined() || call.bias.defined())
    throw ValueError(
        fmt::format("{}: a running state holds no single words that could be masked; got a {}; hint: a key padding "
                    "mask is applied when words are added",
                    name, call.bias.defined() ? "bias" : "mask"));
  int64_t H = call.queries.size(1), n = call.queries.size(-2);
  Features q = of_queries(*this, stages, call.queries, state->words() - n, {});
  ScaledSums sums = for_heads(state->before(), H);
  Features k = for_heads(state->features(), H);
  Variable v = nn::for_heads(state->values(), H);
  if (call.restriction.right == 0) return {read_causal(q, k, v, sums, 0, chunk)};
  return {read_sums(q, with_words(sums, k, v))};
}

void KernelMemory::append(const HeadMemory& words) {
  const Variable &x = words.keys, &given = words.values;
  bool heads = x.rank() == 4 && given.rank() == 4 && x.size(2) == given.size(2);
  Features k = heads ? map_->of(x, scale_, places_of(*map_, x, words_, {})) : Features{};
  auto fits = [&](const Variable& kept, const Variable& y) {
    return !kept.defined() || (kept.size(0) == y.size(0) && kept.size(1) == y.size(1) && kept.dtype() == y.dtype());
  };
  auto width = [](const Features& f) { return (f.part.defined() ? f.part : f.log).size(-1); };
  if (!heads || !fits(features_.log, x) || !fits(values_, given) ||
      (values_.defined() && (width(features_) != width(k) || values_.size(3) != given.size(3) + 1)))
    throw ShapeError(fmt::format("KernelMemory: words must be [B, G, n, ..] and fit those before; got {} and {}",
                                 to_string(x.shape()), to_string(given.shape())));
  Variable v = given;
  if (words.padding_mask.defined()) {
    Tensor padding = logical_not(words.padding_mask).unsqueeze(1).unsqueeze(-1);  // [B, 1, n, 1]
    k = without(k, padding), v = masked_fill(v, padding, 0);
  }
  v = with_ones(v);
  sums_ = values_.defined() ? with_words(sums_, features_, values_) : no_sums(k, v);
  features_ = k, values_ = v, words_ += x.size(2);
}

HeadMemory KernelMemory::view() const {
  if (!values_.defined()) return {};
  ScaledSums sums = with_words(sums_, features_, values_);
  Variable all = at_scale(sums, Tensor::zeros(sums.scale.shape(), sums.scale.dtype())).rows;
  int64_t V = all.size(-1) - 1;
  return {transpose(slice(all, -1, V, V + 1), -2, -1), slice(all, -1, 0, V)};
}

void KernelMemory::keep(const Tensor& rows) {
  if (!values_.defined()) return;
  for (Variable* x : {&sums_.rows, &features_.log, &features_.part, &values_})
    if (x->defined()) *x = index_select(*x, 0, rows);
  sums_.scale = index_select(sums_.scale, 0, rows);
}

int64_t KernelMemory::bytes() const {
  if (!values_.defined()) return 0;
  int64_t numbers = sums_.rows.count() + sums_.scale.count() + features_.log.count() + values_.count() +
                    (features_.part.defined() ? features_.part.count() : 0);
  return numbers * (values_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
