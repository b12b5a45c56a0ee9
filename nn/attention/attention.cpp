#include "nn/attention/attention.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/recurrent/padding.h"

namespace heed::nn {
namespace {
AttentionOptions completed(AttentionOptions o) {
  if (o.scope.query == 0) o.scope.query = o.score.query;
  return o;
}
}  // namespace

Attention::Attention(const Options& o, Generator& rng)
    : options(completed(o)),
      score(make_score(options.score, rng)),
      scope(make_scope(options.scope, rng)),
      normaliser(make_normaliser(options.normaliser, rng)) {
  if (scope->modulates() && normaliser->chooses_one())
    throw ValueError(fmt::format(
        "attention: a scope that scales the weights needs a normaliser that spreads them; got {} with {}; use local_m",
        o.scope.name, o.normaliser.name));
}

Memory Attention::remember(const Variable& keys, const Variable& values, const Tensor& lengths) const {
  Call call(*this);
  if (!lengths.defined()) return {.keys = score->prepare(keys), .values = values};
  Tensor words = length_mask(lengths, keys.size(1));  // [B, S]
  Variable k = without_padding(keys, words), v = keys.same_as(values) ? k : without_padding(values, words);
  return {score->prepare(k), v, words.unsqueeze(1), lengths};
}

Attended Attention::operator()(const Variable& query, const Memory& memory, AlignmentState& state) const {
  Call call(*this);
  int64_t T = query.size(1), S = memory.values.size(1);
  Variable scores = (*score)(query, memory.keys);  // [B, T, S]
  Window window = (*scope)(query, {.queries = T, .keys = S, .first = state.position, .lengths = memory.lengths});
  Tensor allowed = both(memory.allowed, window.allowed);
  Attended seen =
      attend(scores, memory.values, {.allowed = allowed, .normaliser = normaliser.get(), .factor = window.factor});
  state.position += T;
  state.weights = select(seen.weights, 1, T - 1);
  return {call.result("context", seen.context), call.result("weights", seen.weights)};
}

Attended Attention::operator()(const Variable& query, const Memory& memory) const {
  AlignmentState fresh;
  return (*this)(query, memory, fresh);
}

}  // namespace heed::nn
