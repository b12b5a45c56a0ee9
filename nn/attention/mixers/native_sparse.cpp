#include "nn/attention/mixers/native_sparse.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {
namespace {

// Which of J blocks of l words are always read, [T, J] of 0 and 1: the first, that before the query's own, and its own.
Tensor always_read(int64_t T, int64_t J, int64_t l, DType dtype) {
  Tensor always = Tensor::zeros({T, J}, dtype);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t j : {int64_t{0}, t / l - 1, t / l})
      if (j >= 0) always.set({t, j}, 1);
  return always;
}

int64_t width_of_keys(const MixerOptions& o) {  // G K
  const int64_t G = o.settings.as<NativeSparseMixer::Settings>().kv_heads, K = head_width(o);
  if (o.heads % G != 0)
    throw ValueError(fmt::format("native_sparse: kv_heads must divide the heads; got {} and {}", G, o.heads));
  return G * K;
}

}  // namespace

NativeSparseMixer::NativeSparseMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "native_sparse")),
      settings(options.settings.as<Settings>()),
      q_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      k_proj({.in = o.query, .out = 3 * width_of_keys(options)}, rng),
      v_proj({.in = o.query, .out = 3 * width_of_keys(options)}, rng),
      k_block({.in = settings.block * o.query / o.heads, .out = o.query / o.heads}, rng),
      v_block({.in = settings.block * o.query / o.heads, .out = o.query / o.heads}, rng),
      gates({.in = o.query, .out = 3 * o.heads}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {}

Variable NativeSparseMixer::by_heads(const Variable& x) const {
  return for_heads(split_heads(x, settings.kv_heads), options.heads);
}

Variable NativeSparseMixer::compressed(const Variable& x, const Linear& layer) const {
  const int64_t l = settings.block, G = settings.kv_heads, K = x.size(2) / G;
  Variable blocks = blocks_of(x, l);  // [B, J, l G K]
  const int64_t B = x.size(0), J = blocks.size(1);
  Variable by_head = permute(reshape(blocks, {B, J, l, G, K}), {0, 3, 1, 2, 4});
  return for_heads(layer(reshape(by_head, {B, G, J, l * K})), options.heads);
}

Tensor NativeSparseMixer::selected(const Tensor& weights, const Tensor& words, int64_t T) const {
  const int64_t B = weights.size(0), H = weights.size(1), J = weights.size(3), l = settings.block;
  const int64_t G = settings.kv_heads, R = H / G;
  Tensor p = sum(weights.reshape({B, G, R, T, J}), {2});                    // [B, G, T, J]
  Tensor importance = add(p, mul(always_read(T, J, l, p.dtype()), 1e9));    // [B, G, T, J]
  Tensor chosen = argtopk(importance, std::min(settings.selected, J), -1);  // [B, G, T, n]
  Tensor block = sum(one_hot(chosen, J), {3});                              // [B, G, T, J] of 0 and 1
  Tensor word = block.unsqueeze(-1).expand({B, G, T, J, l}).contiguous().reshape({B, G, 1, T, J * l}).slice(4, 0, T);
  Tensor mask = greater(word.contiguous(), 0).expand({B, G, R, T, T}).contiguous().reshape({B, H, T, T});
  return both(mask, allowed_words(options, words, T));
}

Mixed NativeSparseMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), H = options.heads;
  Variable q = split_heads(q_proj(x), H);
  const std::vector<Variable> k = chunk(words_only(k_proj(x), in.words), 3, -1),
                              v = chunk(words_only(v_proj(x), in.words), 3, -1);  // [B, T, G K] each

  Tensor blocks = allowed_blocks(options, in.words, T, settings.block);
  Attended compress = attend(scaled_scores(q, compressed(k[0], k_block)), compressed(v[0], v_block), blocks);
  auto read = [&](size_t i, const Tensor& allowed) {
    return attend(scaled_scores(q, by_heads(k[i])), by_heads(v[i]), allowed).context;
  };
  Tensor near = window_mask({.queries = T, .keys = T}, settings.window - 1);
  std::vector<Variable> contexts{compress.context, read(1, selected(compress.weights.value(), in.words, T)),
                                 read(2, both(near, allowed_words(options, in.words, T)))};
  // [B, T, 3 H] -> [B, H, T, 1] for each of the three
  Variable open = permute(reshape(sigmoid(gates(x)), {B, T, 3, H}), {2, 0, 3, 1});
  Variable mixed;
  for (int64_t i = 0; i < 3; ++i) {
    Variable one = unsqueeze(select(open, 0, i), -1) * contexts[static_cast<size_t>(i)];
    mixed = mixed.defined() ? mixed + one : one;
  }
  return {call.result("output", out_proj(join_heads(mixed)))};
}

}  // namespace heed::nn
