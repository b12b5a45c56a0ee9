// Attention, as an algebra of stages:
//
//   prepare     keys -> what the score needs of them         once a sentence
//   score       e = score(q, k)                              nn/attention/scores/
//   restrict    e where allowed, else -inf                   nn/attention/scopes/, and the mask of the padding
//   normalise   w = softmax(e)                               nn/attention/normalisers/
//   modulate    w * factor                                   local-p only
//   read        context = w . values
//
// Any score goes with any scope and any normaliser; what mathematics forbids is refused when it is built. Keys and
// values may be the same annotations or not (key-value attention). B batch, T queries, S keys, Q query width, K key
// width, D value width.
//
//   Attention attention({.score = {.name = "general", .query = 64, .key = 128}, .scope = {.name = "local_m"}}, rng);
//   Memory memory = attention.remember(annotations, annotations, lengths);
//   AlignmentState state;
//   Attended seen = attention(query, memory, state);          // a step, or all steps at once
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/scopes/scope.h"
#include "nn/attention/scores/score.h"

namespace heed::nn {

struct AttentionOptions {
  ScoreOptions score = {};
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
};

// A source, read and prepared: what every query looks at.
struct Memory {
  Variable keys = {};   // as the score wants them, [B, S, ..]
  Variable values;      // [B, S, D]
  Tensor allowed = {};  // bool, broadcastable to [B, T, S]: the padding's mask [B, 1, S], or any; undefined: everything
  Tensor lengths = {};  // [B] i64; undefined: all S
};

// What one step hands to the next.
struct AlignmentState {
  int64_t position = 0;   // of the next query: so many were answered
  Variable weights = {};  // [B, S], those of the last query; undefined before the first
};

struct Attention : Module {
  using Options = AttentionOptions;
  // ValueError for a name that is not known, or for a scope that scales weights behind a normaliser that chooses one.
  Attention(const Options& options, Generator& rng);

  // keys [B, S, K], values [B, S, D], lengths [B] i64 or undefined. After a sentence's end nothing matters, even NaN.
  Memory remember(const Variable& keys, const Variable& values, const Tensor& lengths = {}) const;
  Attended operator()(const Variable& query, const Memory& memory, AlignmentState& state) const;  // query [B, T, Q]
  Attended operator()(const Variable& query, const Memory& memory) const;  // all queries of a sequence, from position 0

  void visit(Visitor& v) {
    v.child("score", *score);
    if (scope->modulates()) v.child("scope", *scope);  // a fixed one has nothing to name, learn or show
    v.child("normaliser", *normaliser);
  }
  Options options;
  std::unique_ptr<Score> score;
  std::unique_ptr<Scope> scope;
  std::unique_ptr<Normaliser> normaliser;
};

}  // namespace heed::nn
