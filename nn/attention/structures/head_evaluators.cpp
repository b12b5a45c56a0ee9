#include "nn/attention/structures/head_evaluators.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/observe.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

// [B, G, S, N] -> [B, H, S, N]: a group's rows once for each head that reads them, heads of a group side by side.
Variable for_heads(const Variable& x, int64_t H) {
  int64_t B = x.size(0), G = x.size(1), S = x.size(2), N = x.size(3);
  return G == H ? x : reshape(expand(unsqueeze(x, 2), {B, G, H / G, S, N}), {B, H, S, N});
}

// Rows [begin, end) of what has an axis of queries, the last but one; of what has none, all.
Tensor rows_of(const Tensor& x, int64_t begin, int64_t end) {
  return !x.defined() || x.rank() < 2 || x.size(-2) == 1 ? x : x.slice(-2, begin, end);
}
Variable rows_of(const Variable& x, int64_t begin, int64_t end) {
  return !x.defined() || x.rank() < 2 || x.size(-2) == 1 ? x : slice(x, -2, begin, end);
}

}  // namespace

HeadContext read_dense(const HeadRead& r) {
  int64_t T = r.queries.size(1), H = r.queries.size(2), S = r.memory.keys.size(2);
  Variable q = transpose(r.queries, 1, 2);                    // [B, H, T, K]
  Variable scores = r.score(q, for_heads(r.memory.keys, H));  // [B, H, T, S]
  if (r.position.needs_weights()) scores = scores + r.position.score(q, S, r.first) * r.scale;
  if (r.bias.defined()) scores = scores + r.bias;
  Tensor allowed = r.causal ? both(r.allowed, causal_mask({.queries = T, .keys = S, .first = r.first})) : r.allowed;
  Attended seen = attend(scores, for_heads(r.memory.values, H),
                         {.allowed = allowed, .normaliser = &r.normaliser, .dropout = &r.dropout, .report = r.report});
  if (r.position.needs_weights())
    if (Variable more = r.position.read(seen.weights, r.first); more.defined()) seen.context = seen.context + more;
  return {transpose(seen.context, 1, 2), seen.weights};
}

HeadContext read_chunked(const HeadRead& r, int64_t queries, bool with_weights) {
  int64_t T = r.queries.size(1);
  if (T == 0) return read_dense(r);
  std::vector<Variable> contexts, weights;
  for (int64_t begin = 0; begin < T; begin += queries) {
    int64_t end = std::min(T, begin + queries);
    HeadRead some = r;
    some.queries = slice(r.queries, 1, begin, end);
    some.allowed = rows_of(r.allowed, begin, end), some.bias = rows_of(r.bias, begin, end);
    some.first = r.first + begin;
    some.report = false;
    HeadContext seen = read_dense(some);
    contexts.push_back(seen.context);
    if (with_weights) weights.push_back(seen.weights);
  }
  HeadContext whole{concat(contexts, 1), with_weights ? concat(weights, 2) : Variable()};
  if (with_weights && r.report) Observe::report(whole.weights.value());  // once, not a chunk at a time
  return whole;
}

HeadContext read_tiled(const HeadRead& r) {
  AttentionTiles o{.scale = r.scale, .allowed = r.allowed, .causal = r.causal, .first = r.first};
  if (r.bias.defined()) o.bias = r.bias.value();
  if (r.dropout.trains() && r.dropout.options.p > 0) {  // as Dropout would draw for the weights
    int64_t count = r.queries.size(0) * r.queries.size(2) * r.queries.size(1) * r.memory.keys.size(2);
    o.dropout = r.dropout.options.p, o.seed = r.dropout.rng.seed();
    o.offset = r.dropout.rng.reserve(static_cast<uint64_t>(dropout_blocks(count)));
  }
  return {tiled_attention(r.queries, transpose(r.memory.keys, 1, 2), transpose(r.memory.values, 1, 2), o), {}};
}

}  // namespace heed::nn
