// One layer for all published models, with the variants that they need. D width, H heads of width K, G heads of keys
// and values, F feed-forward width.
//
//   norm last (2017)    x <- norm(x + attention(x))      x <- norm(x + W_2 f(W_1 x))
//   norm first          x <- x + attention(norm(x))      x <- x + W_2 f(W_1 norm(x))
//   parallel            x <- x + attention(norm_1(x)) + W_2 f(W_1 norm_2(x))             GPT-NeoX
//   gated               W_2 (f(W_g x) * W_1 x)           in the place of W_2 f(W_1 x)    Shazeer, 2020
//   widened             x <- W_r x + attention(norm(x))  from D to another width         Cer et al., 2018
//
// Attention is nn::MultiHeadAttention with its stages: rotations are a position, windows a scope, unscaled products a
// score, and a wrapper normalises queries and keys. Cross-attention, if any, is computed between the two parts.
#pragma once

#include <memory>
#include <optional>

#include "nn/attention/structures/multi_head.h"
#include "nn/norm.h"
#include "nn/options.h"

namespace heed::nn::published {

struct BlockOptions {
  int64_t model = 768, heads = 12, kv_heads = 0, head = 0, inner = 3072;  // D, H, G, K, F
  int64_t out = 0;  // width of the output, where norms come first; 0: D
  std::string norm = "layer", activation = "gelu";
  double eps = 1e-12;  // of the norms
  bool norm_first = false, parallel = false, gated = false, causal = false, cross = false, scaled = true;
  bool query_bias = true, output_bias = true, feed_bias = true, norm_bias = true;
  bool query_key_norm = false;
  bool attention_norm = true;  // false: the layer reads its input as it is (the first of ModernBERT)
  int64_t window = 0;
  HeadPositionOptions position = {.name = "none"};
  double dropout = 0, attention_dropout = 0, inner_dropout = 0;

  int64_t wide() const { return out > 0 ? out : model; }
  void fields(OptionFields& f);
};

Variable activation(const std::string& name, const Variable& x);  // by the names that configurations use
bool is_activation(const std::string& name);

// A call of a layer: what it receives beside x, and what it gives beside its output.
struct BlockCall {
  HeadMasks self = {}, cross = {};
  Variable source = {};               // [B, S, D] of the encoder
  AttentionMemory* memory = nullptr;  // of the words before x
  HeadMemory* kept_source = nullptr;  // keys and values of the source, once they are projected
  Variable weights = {}, cross_weights = {};
};

struct Block : Module {
  using Options = BlockOptions;
  Block(const Options& options, Generator& rng);
  Variable operator()(const Variable& x, BlockCall& call) const;  // [B, T, D]
  void visit(Visitor& v);
  Options options;
  MultiHeadAttention self;
  std::optional<MultiHeadAttention> cross;
  std::optional<AnyNorm> self_norm, cross_norm;
  AnyNorm feed_norm;
  Linear up, down;
  std::optional<Linear> gate, widen;
  Dropout dropout, inner_dropout;

 private:
  Variable look(const Variable& x, BlockCall& call) const;
  Variable look_at_source(const Variable& x, BlockCall& call) const;
  Variable feed(const Variable& x) const;
};

AnyNorm norm_of(const BlockOptions& options, int64_t width, Generator& rng);

}  // namespace heed::nn::published
