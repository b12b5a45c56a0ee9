// Attention without projections: queries look at a source that is read and prepared once. The pipeline of stages is in
// pipeline.h; this is the form that recurrent decoders, pooling and the tutorials call.
//
//   Attention attention({.score = {.name = "general", .query = 64, .key = 128}, .scope = {.name = "local_m"}}, rng);
//   Memory memory = attention.remember(annotations, annotations, lengths);
//   AlignmentState state;
//   Attended seen = attention(query, memory, state);          // a step, or all steps at once
//
// Keys and values may be the same encoder outputs or not (key-value attention). B batch, T queries, S keys, Q query
// width, K key width, D value width.
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/pipeline.h"

namespace heed::nn {

// A source, read and prepared: what every query looks at.
struct Memory {
  Variable keys = {};   // as the score wants them, [B, S, ..]
  Variable values;      // [B, S, D]
  Tensor allowed = {};  // bool, broadcastable to [B, T, S]: the padding's mask [B, 1, S], or any; undefined: everything
  Tensor lengths = {};  // [B] i64; undefined: all S
};

struct Attention : Pipeline {
  using Options = AttentionOptions;
  // ValueError for a name that is not known, or for stages that do not go together.
  Attention(const Options& options, Generator& rng);

  // keys [B, S, K], values [B, S, D], lengths [B] i64 or undefined. After a sentence's end nothing matters, even NaN.
  Memory remember(const Variable& keys, const Variable& values, const Tensor& lengths = {}) const;
  // query [B, T, Q]. The weights are always there unless an evaluator was chosen that does not store them.
  Attended operator()(const Variable& query, const Memory& memory, AlignmentState& state) const;
  Attended operator()(const Variable& query, const Memory& memory) const;  // all queries of a sequence, from place 0

  void visit(Visitor& v) {
    v.child("score", *score);
    visit_position(v);
    visit_scope(v);
    v.child("normaliser", *normaliser);
    visit_evaluator(v);
    if (options.dropout > 0) v.child("dropout", weight_dropout);
  }
  Options options;  // completed
};

}  // namespace heed::nn
