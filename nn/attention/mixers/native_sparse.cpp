#include "nn/attention/mixers/native_sparse.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {
namespace {

Tensor block_of_words(int64_t T, int64_t l) {  // t / l, [T]
  std::vector<int64_t> block;
  for (int64_t t = 0; t < T; ++t) block.push_back(t / l);
  return Tensor::from(block, {T});
}

}  // namespace

NativeSparseMixer::NativeSparseMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "native_sparse")),
      settings(options.settings.as<Settings>()),
      q_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      k_proj({.in = o.query, .out = 3 * o.query}, rng),
      v_proj({.in = o.query, .out = 3 * o.query}, rng),
      k_block({.in = settings.block * o.query / o.heads, .out = o.query / o.heads}, rng),
      v_block({.in = settings.block * o.query / o.heads, .out = o.query / o.heads}, rng),
      gates({.in = o.query, .out = 3 * o.heads}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {}

Variable NativeSparseMixer::compressed(const Variable& x, const Linear& layer) const {
  const int64_t l = settings.block, K = x.size(2) / options.heads;
  Variable blocks = blocks_of(x, l);  // [B, J, l D], with D as H, K
  const int64_t B = x.size(0), J = blocks.size(1);
  Variable by_head = permute(reshape(blocks, {B, J, l, options.heads, K}), {0, 3, 1, 2, 4});
  return layer(reshape(by_head, {B, options.heads, J, l * K}));
}

Tensor NativeSparseMixer::selected(const Tensor& weights, const Tensor& words, int64_t T) const {
  const int64_t l = settings.block, J = weights.size(3);
  Tensor own = one_hot(block_of_words(T, l), J, weights.dtype());           // [T, J]
  Tensor importance = add(sum(weights, {1}), mul(own, 1e9));                // [B, T, J]
  Tensor chosen = argtopk(importance, std::min(settings.selected, J), -1);  // [B, T, n]
  Tensor block = sum(one_hot(chosen, J), {2});                              // [B, T, J] of 0 and 1
  Shape repeated{block.size(0), T, J, l};
  Tensor word = block.unsqueeze(3).expand(repeated).contiguous().reshape({block.size(0), T, J * l}).slice(2, 0, T);
  return both(greater(word.contiguous(), 0).unsqueeze(1), allowed_words(options, words, T));
}

Mixed NativeSparseMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), H = options.heads;
  Variable q = split_heads(q_proj(x), H), k = words_only(k_proj(x), in.words), v = words_only(v_proj(x), in.words);
  auto part = [&](const Variable& all, int64_t i) { return slice(all, -1, i * D, (i + 1) * D); };

  Variable block_keys = compressed(part(k, 0), k_block), block_values = compressed(part(v, 0), v_block);
  Tensor blocks = allowed_blocks(options, in.words, T, settings.block);
  Attended compress = attend(scaled_scores(q, block_keys), block_values, blocks);
  auto read = [&](int64_t i, const Tensor& allowed) {
    return attend(scaled_scores(q, split_heads(part(k, i), H)), split_heads(part(v, i), H), allowed).context;
  };
  Tensor near = window_mask({.queries = T, .keys = T}, settings.window);
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
