// Multi-head attention (Vaswani et al., NeurIPS 2017, section 3.2.2): several attentions side by side, each on its own
// projection of the same words.
//
//   q_h = (x W_q^T + b_q)_h     k_h = (y W_k^T + b_k)_h     v_h = (z W_v^T + b_v)_h     columns h D/H .. (h + 1) D/H
//   head_h = softmax(q_h k_h^T / sqrt(D/H), where allowed) v_h                          [B, T, D/H]
//   output = [head_1; ..; head_H] W_o^T + b_o = sum_h head_h W_o,h^T + b_o              [B, T, D]
//
//   self-attention     x = y = z                                   MultiHeadAttention(x)
//   cross-attention    x from the decoder, y = z from the encoder  MultiHeadAttention(x, y, y)
//   causal             self-attention with .scope = {.name = "causal"}
//
// As many parameters for any number of heads, 4 D^2 + 4 D. The root is that of the width of a head, not of the model.
// Heads are cut from the last axis: [B, T, D] is [B, T, H, D/H] and then turned to [B, H, T, D/H]; cut straight into
// [B, H, T, ..] it would mix up words. A query that may look at nothing gets b_o. B batch, T queries, S keys, D width
// of the model, H heads. Names and layouts of parameters as in PyTorch:
//
//   in_proj_weight [3 D, D]: W_q, W_k, W_v below each other    or, where keys or values have other widths than D,
//   q_proj_weight [D, D], k_proj_weight [D, K], v_proj_weight [D, V]
//   in_proj_bias [3 D], out_proj.weight [D, D], out_proj.bias [D]
//
// Fewer heads of keys and values than of queries, G < H: head h reads group h / (H / G). G = 1 is multi-query attention
// (Shazeer, 2019), between them grouped-query attention (Ainslie et al., EMNLP 2023): a cache is G/H as large. The
// projections of keys and values then have G D/H rows, in_proj_weight [D + 2 G D/H, D].
//
// Words may be told apart by their places inside the heads (positions/head_position.h), or before, in the embedding.
// `query_key_norm` scales each query and key of a head to mean square 1, with a weight for each entry (as Henry et al.,
// EMNLP Findings 2020, do by length): scores cannot grow with the weights.
//
// Cost: 2 B (3 T D^2 + T D^2 + 2 T S D) FLOPs for self-attention. The stages of a head, and what evaluates them, are
// those of pipeline.h: tiled where scores are products under a softmax and nobody looks at the weights, else dense,
// which holds B H T S numbers.
#pragma once

#include <optional>

#include "nn/attention/attention.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/norm.h"

namespace heed::nn {

struct MultiHeadOptions {
  int64_t model, heads;
  int64_t key = 0, value = 0;  // widths of what keys and values are made of; 0: as the model
  bool bias = true;            // of all four projections
  double dropout = 0;          // of the weights, after the softmax: they do not sum to 1 then
  // The stages of each head (nn/attention/pipeline.h); their widths are those of a head.
  ScoreOptions score = {};  // empty: scaled_dot
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  int64_t kv_heads = 0;  // G, a divisor of the heads; 0: as the heads
  HeadPositionOptions position = {};
  bool query_key_norm = false;
  EvaluatorOptions evaluator = {};  // empty: auto; dense wherever weights are looked at
};

// Which query may attend to which key, beside the scope. All may be undefined: everything. A mask and a bias have the
// same shapes: [T, S], [B, T, S] (the same for all heads) or [B, H, T, S]; sizes of 1 broadcast. One for each head is
// [1, H, T, S].
struct HeadMasks {
  Tensor words = {};     // key padding mask, bool [B, S]: false for padding, whose numbers, even NaN, do not matter
  Tensor allowed = {};   // attention mask, bool
  Variable bias = {};    // added to the scores
  Places places = {};    // where the queries and the keys are; their numbers are filled in
  bool weights = false;  // set to get the weights back; forces an evaluator that stores them
  AlignmentState* state = nullptr;    // of a sequence that goes step by step, for stages that have a memory
  AttentionMemory* memory = nullptr;  // filled in by extend, for an evaluator that reads from its own
};

struct MultiHeadOutput {
  Variable output;   // [B, T, D]
  Variable weights;  // [B, H, T, S], before dropout; undefined unless they were asked for
};

struct MultiHeadAttention : Pipeline {
  using Options = MultiHeadOptions;
  // ValueError where the heads do not divide the width: the rest of it would be lost in silence.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query [B, T, D], key [B, S, K], value [B, S, V]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  HeadMemory remember(const Variable& key, const Variable& value, const Places& places = {}) const;
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  // Self-attention of words that continue a sequence: x [B, n, D] is after the words in the memory, and is added to
  // them, as projected keys and values or as it is (memory.keeps_inputs()). `masks.words` and other masks cover the
  // keys that the memory keeps, from memory.first_key() on.
  MultiHeadOutput extend(const Variable& x, AttentionMemory& memory, HeadMasks masks = {}) const;

  void visit(Visitor& v) {
    v.parameter("in_proj_weight", in_proj_weight);
    v.parameter("q_proj_weight", q_proj_weight);
    v.parameter("k_proj_weight", k_proj_weight);
    v.parameter("v_proj_weight", v_proj_weight);
    v.parameter("in_proj_bias", in_proj_bias);
    v.child("out_proj", out_proj);
    if (q_norm) v.child("q_norm", *q_norm), v.child("k_norm", *k_norm);
    v.child("score", *score);
    visit_position(v);
    visit_scope(v);
    v.child("normaliser", *normaliser);
    v.child("dropout", weight_dropout);
  }
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  std::optional<RMSNorm> q_norm, k_norm;

 private:
  MultiHeadAttention(const Options& options, Linear out, Generator& rng);
  int64_t width() const { return options.model / options.heads; }  // K, of a head
  Variable heads(const Variable& x) const;                         // [B, T, n K] -> [B, T, n, K]
  HeadMemory memory_of(const Variable& keys, const Variable& values,
                       const Places& places) const;     // of [B, S, G K] each
  Variable project_query(const Variable& query) const;  // -> [B, T, D]
  MultiHeadOutput read(const Variable& queries, const HeadMemory& memory, const HeadMasks& masks) const;
};

}  // namespace heed::nn
