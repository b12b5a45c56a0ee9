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
// Words may be told apart by their place inside the heads (positions/head_position.h), by a bias on the scores
// (positions/score_bias.h), or before, in the embedding. `query_key_norm` scales each query and key of a head to mean
// square 1, with a weight for each entry (as Henry et al., EMNLP Findings 2020, do by length): scores cannot grow with
// the weights.
//
// Cost: 2 B (3 T D^2 + T D^2 + 2 T S D) FLOPs for self-attention. What evaluates it (head_evaluators.h) is chosen:
// tiled where scores are products under a softmax and nobody looks at the weights, else dense, which holds B H T S
// numbers.
#pragma once

#include <optional>

#include "nn/attention/attention.h"
#include "nn/attention/structures/head_evaluators.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct MultiHeadOptions {
  int64_t model, heads;
  int64_t key = 0, value = 0;        // widths of what keys and values are made of; 0: as the model
  bool bias = true;                  // of all four projections
  double dropout = 0;                // of the weights, after the softmax: they do not sum to 1 then
  std::string score = "scaled_dot";  // or dot, or cosine
  ScopeOptions scope = {};           // the same for all heads
  NormaliserOptions normaliser = {};
  int64_t kv_heads = 0;               // G, a divisor of the heads; 0: as the heads
  HeadPositionOptions position = {};  // inside a head; its width is that of a head
  bool query_key_norm = false;
  std::string evaluator = "auto";  // or dense, chunked, tiled; dense wherever weights are looked at
  int64_t chunk = 64;              // queries at a time, of chunked
};

// Who may look at whom, beside the scope. All may be undefined: everything. A mask and a bias have the same shapes:
// [T, S], [B, T, S] (the same for all heads) or [B, H, T, S]; sizes of 1 broadcast. One for each head is [1, H, T, S].
struct HeadMasks {
  Tensor words = {};     // bool [B, S]: false for a key that is padding; what stands there, even NaN, does not matter
  Tensor allowed = {};   // bool
  Variable bias = {};    // added to the scores: what positions say
  int64_t first = 0;     // position of the first query among the keys: so many came before
  bool weights = false;  // are they wanted? Then they are computed, at the price of dense
};

struct MultiHeadOutput {
  Variable output;   // [B, T, D]
  Variable weights;  // [B, H, T, S], before dropout; undefined unless they were asked for
};

struct MultiHeadAttention : Module {
  using Options = MultiHeadOptions;
  // ValueError where the heads do not divide the width: the rest of it would be lost in silence.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query [B, T, D], key [B, S, K], value [B, S, V]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  HeadMemory remember(const Variable& key, const Variable& value, int64_t first = 0) const;  // the first key's place
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  void visit(Visitor& v) {
    v.parameter("in_proj_weight", in_proj_weight);
    v.parameter("q_proj_weight", q_proj_weight);
    v.parameter("k_proj_weight", k_proj_weight);
    v.parameter("v_proj_weight", v_proj_weight);
    v.parameter("in_proj_bias", in_proj_bias);
    v.child("out_proj", out_proj);
    if (q_norm) v.child("q_norm", *q_norm), v.child("k_norm", *k_norm);
    v.child("score", *score);
    if (options.position.name != "none") v.child("position", *position);
    v.child("normaliser", *normaliser);
    v.child("dropout", dropout);
  }
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  std::optional<RMSNorm> q_norm, k_norm;
  std::unique_ptr<Score> score;
  std::unique_ptr<HeadPosition> position;
  std::unique_ptr<Scope> scope;
  std::unique_ptr<Normaliser> normaliser;
  Dropout dropout;

 private:
  int64_t width() const { return options.model / options.heads; }  // K, of a head
  Variable heads(const Variable& x) const;                         // [B, T, n K] -> [B, T, n, K]
  HeadMemory memory_of(const Variable& keys, const Variable& values, int64_t first) const;  // of [B, S, G K] each
  Variable project_query(const Variable& query) const;                                      // -> [B, T, D]
  MultiHeadOutput read(const Variable& queries, const HeadMemory& memory, const HeadMasks& masks) const;
  bool watched() const;  // does anybody look at the weights, or at what they are made of?
};

}  // namespace heed::nn
