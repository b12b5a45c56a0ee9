// Attention without projections of its own: queries attend to a source whose keys are prepared once. The stages are in
// pipeline.h; recurrent decoders, pooling and the tutorials call this class.
//
//   Attention attention({.score = {.name = "general", .query = 64, .key = 128}, .scope = {.name = "local_m"}}, rng);
//   Memory memory = attention.remember(outputs, outputs, lengths);          // of the encoder
//   AlignmentState state;
//   Attended seen = attention(query, memory, state);          // for one step, or for all steps at once
//
// Keys and values may be the same encoder outputs or different ones (key-value attention). B batch, T queries, S keys,
// Q query width, K key width, D value width.
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/pipeline.h"

namespace heed::nn {

// A prepared source, to which every query attends.
struct Memory {
  Variable keys = {};   // as Score::prepare returns them, [B, S, ..]
  Variable values;      // [B, S, D]
  Tensor allowed = {};  // bool, broadcastable to [B, T, S]: key padding mask [B, 1, S] or any; undefined: all
  Tensor lengths = {};  // [B] i64; undefined: all S
  Tensor key_at = {};   // [B, S] i64: places counted from the first word, if there is padding before it
  bool clean = false;   // remember has removed the padding; false for a mask that was set later
};

struct Attention : Pipeline {
  using Options = AttentionOptions;
  // Throws ValueError for an unknown name, or for stages that cannot be combined.
  Attention(const Options& options, Generator& rng);

  // keys [B, S, K], values [B, S, D]; which of them are words: lengths [B] i64, a padding mask [B, S] bool (false for
  // padding, wherever it is), or undefined. Padding, even NaN, has no effect.
  Memory remember(const Variable& keys, const Variable& values, const Tensor& present = {}) const;
  // query [B, T, Q]. The weights are returned unless the chosen evaluator does not store them.
  Attended operator()(const Variable& query, const Memory& memory, AlignmentState& state) const;
  Attended operator()(const Variable& query, const Memory& memory) const;  // all queries, from position 0

  void visit(Visitor& v) {
    visit_stages(v);
    if (options.dropout > 0) v.child("dropout", weight_dropout);
  }
  Options options;  // with the defaults filled in
};

}  // namespace heed::nn
