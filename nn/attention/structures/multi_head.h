// Multi-head attention (Vaswani et al., NeurIPS 2017, section 3.2.2): H heads of width K = D/H, computed in parallel.
//
//   q_h = (x W_q^T + b_q)_h     k_h = (y W_k^T + b_k)_h     v_h = (z W_v^T + b_v)_h     ()_h: the K columns of head h
//   head_h = softmax(q_h k_h^T / sqrt(K), where allowed) v_h                            [B, T, K]
//   output = [head_1; ..; head_H] W_o^T + b_o = sum_h head_h W_o,h^T + b_o              [B, T, D]
//
//   self-attention     x = y = z                                   MultiHeadAttention(x)
//   cross-attention    x from the decoder, y = z from the encoder  MultiHeadAttention(x, y, y)
//   causal             self-attention with .scope = {.name = "causal"}
//
// The last axis is split into heads: [B, T, D] becomes [B, T, H, K] and is then permuted to [B, H, T, K]. (Reshaping it
// directly to [B, H, T, K] would mix up the words.) A query that may not attend to any key gets the output b_o. B
// batch, T queries, S keys, D = d_model, K = d_k = d_v, H heads of queries, G heads of keys and values. Counted from 0,
// query head h uses key-value head h / (H / G), rounded down. The parameters are named and laid out as in PyTorch:
//
//   in_proj_weight [D + 2 G K, D]: W_q, W_k, W_v stacked;   or, if the inputs y or z have other widths than D,
//   q_proj_weight [D, D], k_proj_weight [G K, width of y], v_proj_weight [G K, width of z]
//   in_proj_bias [D + 2 G K], out_proj.weight [D, D], out_proj.bias [D]
//   with options.apart, which published models have: q_proj.weight, q_proj.bias, k_proj.weight, ..
//
// A head of another width than D/H (options.head) makes the projected queries H K wide. Also not in the
// paper: other stages in a head (nn/attention/pipeline.h), wrappers (nn/attention/around/), keys and values of another
// layer, and words that continue a sequence (multi_head_memory.cpp).
#pragma once

#include "nn/attention/positions/reads_words.h"
#include "nn/attention/structures/multi_head_options.h"

namespace heed::nn {

struct MultiHeadAttention : Pipeline {
  using Options = MultiHeadOptions;
  // Throws ValueError if the number of heads does not divide D.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query x [B, T, D], key y [B, S, options.key], value z [B, S, options.value]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  // The keys and values of a source, projected once for many calls. `words`: the key padding mask of those calls. It is
  // needed if a position rotates keys and padding precedes the first word, from which places count; and it keeps a NaN
  // in padding out of the projections' gradients.
  HeadMemory remember(const Variable& key, const Variable& value, const Places& places = {},
                      const Tensor& words = {}) const;
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  // Self-attention for words that continue a sequence: x [B, n, D] follows the words in the memory and is appended to
  // it: its projected keys and values, or x itself (memory.keeps_inputs()). The masks cover the keys that the memory
  // keeps (memory.kept); masks.words may cover all words so far. Memory and masks.state are unchanged if it throws.
  MultiHeadOutput extend(const Variable& x, AttentionMemory& memory, const HeadMasks& masks = {}) const;
  std::unique_ptr<AttentionMemory> memory() const;  // an empty one; a layer with shared keys only counts words in it

  void visit(Visitor& v);
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Variable q_proj_bias, k_proj_bias, v_proj_bias;  // of options.apart
  Linear out_proj;
  std::vector<std::unique_ptr<Around>> around;

 private:
  MultiHeadAttention(const Options& options, Linear out, Generator& rng);
  // The lines of the paper: multi_head.cpp.
  int64_t width() const { return options.head; }            // K
  Variable heads(const Variable& x) const;                  // -> [B, T, H|G, K]
  Variable in_proj(const Variable& x) const;                // -> [B, T, D + 2 G K]
  std::vector<Variable> in_parts(const Variable& x) const;  // of matrices that are apart: q, k and v
  Variable project_query(const Variable& query) const;      // -> [B, T, H K]
  HeadMemory projected(const Variable& key, const Variable& value, const Tensor& words) const;     // [B, S, G K] each
  HeadMemory memory_of(const Variable& keys, const Variable& values, const Places& places) const;  // -> [B, G, S, K]
  // [head_1; ..; head_H] W_o^T + b_o, for projected queries [B, T, D]; x: what they are projections of
  MultiHeadOutput read(const Variable& queries, const Variable& x, const HeadMemory& memory, const HeadMasks& masks,
                       const Places& places, bool self = false) const;
  // Around them: multi_head_around.cpp.
  void require_query(const Variable& x) const;
  void require_keys(const Variable& key, const Variable& value) const;
  void require_whole_rows(const Tensor& words) const;
  static Tensor key_mask(const Tensor& words, int64_t B, int64_t S);  // -> [B, 1, 1, S]; undefined: none
  AttentionCall call_of(const Variable& q, const HeadMemory& memory, const HeadMasks& masks, bool self) const;
  Variable values_of(Variable values, Passed* passed) const;                             // [B, G, S, K]
  Variable contexts_of(Attended seen, const Variable& x, const HeadMasks& masks) const;  // [B, H, T, K]
  const char* any(const char* (Around::*needs)() const) const;
  MultiHeadOutput shown(Call& call, MultiHeadOutput seen) const;
  void pass_on(const HeadMemory& memory, Passed* passed) const;  // to the layers that share its keys
  // The marks of a position that reads words, after the keys (reads_words.h). x [B, S, D]: the words of the memory.
  HeadMemory marked(const HeadMemory& memory, const Variable& x, const Tensor& words) const;
  Unmarked unmarked(const HeadMemory& memory, const Tensor& words = {}) const;
  MultiHeadOutput of_shared_keys(const Variable& x, const HeadMasks& masks) const;
  Places own_places(const HeadMasks& masks, const Variable& x, int64_t S) const;
  // Words that continue a sequence: multi_head_memory.cpp.
  MultiHeadOutput in_turn(const Variable& x, AttentionMemory& memory, const HeadMasks& masks) const;
  MultiHeadOutput continued(const Variable& x, AttentionMemory& memory, HeadMasks masks) const;
  HeadMemory unturned(const HeadMemory& projected) const;  // keys before a position rotates them
  HeadMemory turned(const HeadMemory& memory, const Places& places) const;
};

}  // namespace heed::nn
