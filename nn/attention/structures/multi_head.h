// Multi-head attention (Vaswani et al., NeurIPS 2017, section 3.2.2; roles_of_heads.h): several heads run in parallel.
//
//   q_h = (x W_q^T + b_q)_h     k_h = (y W_k^T + b_k)_h     v_h = (z W_v^T + b_v)_h     columns h D/H .. (h + 1) D/H
//   head_h = softmax(q_h k_h^T / sqrt(D/H), where allowed) v_h                          [B, T, D/H]
//   output = [head_1; ..; head_H] W_o^T + b_o = sum_h head_h W_o,h^T + b_o              [B, T, D]
//
//   self-attention     x = y = z                                   MultiHeadAttention(x)
//   cross-attention    x from the decoder, y = z from the encoder  MultiHeadAttention(x, y, y)
//   causal             self-attention with .scope = {.name = "causal"}
//
// The last axis is split into heads: [B, T, D] becomes [B, T, H, D/H] and is then permuted to [B, H, T, D/H].
// (Reshaping it directly to [B, H, T, ..] would mix up the words.) A query that may not attend to any key gets the
// output b_o. B batch, T queries, S keys, D width of the model, H heads, G heads of keys and values (grouped queries:
// query head h uses key-value head h / (H / G)). The parameters have the names and layouts of PyTorch:
//
//   in_proj_weight [D + 2 G D/H, D]: W_q, W_k, W_v stacked;   or, if keys or values have other widths than D,
//   q_proj_weight [D, D], k_proj_weight [G D/H, K], v_proj_weight [G D/H, V]
//   in_proj_bias [D + 2 G D/H], out_proj.weight [D, D], out_proj.bias [D]
//
// Beside the paper: the stages of a head (nn/attention/pipeline.h), what is around the formula (nn/attention/around/),
// keys and values of another layer, and words that continue a sequence (multi_head_memory.cpp).
#pragma once

#include "nn/attention/structures/multi_head_options.h"

namespace heed::nn {

struct MultiHeadAttention : Pipeline {
  using Options = MultiHeadOptions;
  // Throws ValueError if the number of heads does not divide D.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query [B, T, D], key [B, S, K], value [B, S, V]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  // words: the key padding mask of the call that reads them. Keys are turned at places that count from the first word,
  // so with padding before it `words` is needed here too; and not even a NaN in padding then reaches the gradient of a
  // projection.
  HeadMemory remember(const Variable& key, const Variable& value, const Places& places = {},
                      const Tensor& words = {}) const;
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  // Self-attention for words that continue a sequence: x [B, n, D] follows the words in the memory and is appended to
  // it, as projected keys and values or as it is (memory.keeps_inputs()). `masks.words` and the other masks cover the
  // keys that the memory keeps (memory.kept); words may also cover all words so far.
  // If it throws, the memory and masks.state are what they were.
  MultiHeadOutput extend(const Variable& x, AttentionMemory& memory, const HeadMasks& masks = {}) const;
  std::unique_ptr<AttentionMemory> memory() const;  // an empty one; of a layer with shared keys, one that counts words

  void visit(Visitor& v);
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  std::vector<std::unique_ptr<Around>> around;

 private:
  MultiHeadAttention(const Options& options, Linear out, Generator& rng);
  // The lines of the paper: multi_head.cpp.
  int64_t width() const { return options.model / options.heads; }                               // K = D/H
  Variable heads(const Variable& x) const;                                                      // -> [B, T, n, K]
  Variable project_query(const Variable& query) const;                                          // -> [B, T, D]
  HeadMemory projected(const Variable& key, const Variable& value, const Tensor& words) const;  // [B, S, G K] each
  HeadMemory memory_of(const Variable& keys, const Variable& values, const Places& places) const;
  MultiHeadOutput read(const Variable& queries, const Variable& x, const HeadMemory& memory, const HeadMasks& masks,
                       const Places& places, bool self = false) const;
  // Around them: multi_head_around.cpp.
  void require_query(const Variable& x) const;
  void require_keys(const Variable& key, const Variable& value) const;
  void require_whole_rows(const Tensor& words) const;
  static Tensor key_mask(const Tensor& words, int64_t B, int64_t S);  // -> [B, 1, 1, S]; undefined: none
  AttentionCall call_of(const Variable& q, const HeadMemory& memory, const HeadMasks& masks, bool self) const;
  Variable values_of(Variable values, Passed* passed) const;                             // [B, G, n, K]
  Variable contexts_of(Attended seen, const Variable& x, const HeadMasks& masks) const;  // [B, H, T, K]
  const char* any(const char* (Around::*needs)() const) const;
  MultiHeadOutput shown(Call& call, MultiHeadOutput seen) const;
  static void pass_on(const HeadMemory& memory, Passed* passed);  // to the layers that share its keys
  MultiHeadOutput of_shared_keys(const Variable& x, const HeadMasks& masks) const;
  Places own_places(const HeadMasks& masks, const Variable& x, int64_t S) const;
  // Words that continue a sequence: multi_head_memory.cpp.
  MultiHeadOutput in_turn(const Variable& x, AttentionMemory& memory, const HeadMasks& masks) const;
  MultiHeadOutput continued(const Variable& x, AttentionMemory& memory, HeadMasks masks) const;
  HeadMemory unturned(const HeadMemory& projected) const;
  HeadMemory turned(const HeadMemory& memory, const Places& places) const;
};

}  // namespace heed::nn
