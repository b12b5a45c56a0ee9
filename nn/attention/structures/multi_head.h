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
// Cost: 2 B (3 T D^2 + T D^2 + 2 T S D) FLOPs for self-attention; it holds the weights, B H T S numbers.
#pragma once

#include "nn/attention/attention.h"
#include "nn/attention/structures/head_cache.h"
#include "nn/layers.h"

namespace heed::nn {

struct MultiHeadOptions {
  int64_t model, heads;
  int64_t key = 0, value = 0;        // widths of what keys and values are made of; 0: as the model
  bool bias = true;                  // of all four projections
  double dropout = 0;                // of the weights, after the softmax: they do not sum to 1 then
  std::string score = "scaled_dot";  // or dot, or cosine
  ScopeOptions scope = {};           // the same for all heads
  NormaliserOptions normaliser = {};
};

// Who may look at whom, beside the scope. All may be undefined: everything.
struct HeadMasks {
  Tensor words = {};    // bool [B, S]: false for a key that is padding
  Tensor allowed = {};  // bool [T, S], [B, T, S] or [B, H, T, S]; sizes of 1 broadcast
  Variable bias = {};   // added to the scores, broadcastable to [B, H, T, S]: what positions say
  int64_t first = 0;    // position of the first query among the keys: so many came before
};

struct MultiHeadOutput {
  Variable output;   // [B, T, D]
  Variable weights;  // [B, H, T, S], before dropout
};

struct MultiHeadAttention : Module {
  using Options = MultiHeadOptions;
  // ValueError where the heads do not divide the width: the rest of it would be lost in silence.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query [B, T, D], key [B, S, K], value [B, S, V]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  HeadMemory remember(const Variable& key, const Variable& value) const;
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  void visit(Visitor& v) {
    v.parameter("in_proj_weight", in_proj_weight);
    v.parameter("q_proj_weight", q_proj_weight);
    v.parameter("k_proj_weight", k_proj_weight);
    v.parameter("v_proj_weight", v_proj_weight);
    v.parameter("in_proj_bias", in_proj_bias);
    v.child("out_proj", out_proj);
    v.child("score", *score);
    v.child("normaliser", *normaliser);
    v.child("dropout", dropout);
  }
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  std::unique_ptr<Score> score;
  std::unique_ptr<Scope> scope;
  std::unique_ptr<Normaliser> normaliser;
  Dropout dropout;

 private:
  Variable project_query(const Variable& query) const;  // -> [B, T, D]
  Variable heads(const Variable& x) const;              // [B, T, D] -> [B, H, T, D/H]
  MultiHeadOutput read(const Variable& queries, const HeadMemory& memory, const HeadMasks& masks) const;
};

}  // namespace heed::nn
