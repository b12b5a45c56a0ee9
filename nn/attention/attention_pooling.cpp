#include "nn/attention/attention_pooling.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

AttentionPoolingOptions completed(AttentionPoolingOptions o) {
  if (o.score.name.empty()) o.score.name = default_stage(Kind::score, Role::learned_query);
  return o;
}

}  // namespace

AttentionPooling::AttentionPooling(const Options& o, Generator& rng)
    : options(completed(o)), attention({.score = options.score, .normaliser = options.normaliser}, rng) {
  if (o.rows < 1) throw ValueError(fmt::format("AttentionPooling: rows must be at least 1; got {}", o.rows));
  if (o.learned) query = uniform_parameter({o.rows, o.score.query}, o.score.query, rng);
}

Attended AttentionPooling::ask(const Variable& q, const Variable& keys, const Variable& values,
                               const Tensor& words) const {
  Call call(*this);
  Attended seen = attention(q, attention.remember(keys, values, words));
  return {call.result("context", seen.context), seen.weights};
}

Attended AttentionPooling::operator()(const Variable& keys, const Variable& values, const Tensor& words) const {
  if (!query.defined())
    throw ValueError("AttentionPooling: it was built without a query of its own; got none; hint: ask(query, ..)");
  return ask(expand(unsqueeze(query, 0), {keys.size(0), options.rows, options.score.query}), keys, values, words);
}

}  // namespace heed::nn
