// Attention as a pipeline of stages, the same for one head and for many, in recurrent decoders and in transformers:
//
//   prepare     keys -> prepared keys of the score            once per sentence
//   score       e = score(q, k)                               scores/
//   bias        e + bias of the position                      positions/
//   restrict    e where allowed, else -inf                    scopes/, and the masks of the caller
//   normalise   w = softmax(e)                                normalisers/
//   modulate    w * factor                                    scopes/
//   read        c = drop(w) v                                 evaluators/: in which order all of this is computed
//   finish      c, passed to the module around it             (MultiHeadAttention projects it)
//
// Any score can be combined with any scope, normaliser, position and evaluator, except where the mathematics forbids
// it: such a combination is refused when the pipeline is built. If a stage reads the weights of the previous step
// (`sequential`), the pipeline computes one query at a time, in training too. B batch, T queries, S keys, H heads, G
// key-value heads, K and V widths of a head.
#pragma once

#include "nn/attention/evaluators/dense.h"
#include "nn/attention/memories/memory.h"
#include "nn/attention/registry.h"
#include "nn/layers.h"

namespace heed::nn {

struct Pipeline : Module {
  // ValueError, naming `owner`, for stages that do not go together. Without `may_drop` no generator is drawn for a
  // dropout of 0.
  Pipeline(const char* owner, const AttentionOptions& stages, Generator& rng, bool may_drop = true);

  // Keys [B, S, K] or [B, S, G, K] at their places -> prepared for the score, [B, S, ..] or [B, G, S, ..].
  Variable prepare_keys(const Variable& keys, const Places& places) const;
  // Queries [B, T, K] or [B, T, H, K], before their positions. `call` has everything but the queries and the
  // restriction. The context is [B, T, V] or [B, H, T, V]. The weights may be undefined unless call.weights is
  // set, and always are if the evaluator reads from a memory of its own (call.memory).
  Attended attend_to(const Variable& queries, AttentionCall call, StageContext& context) const;

  // A new memory for decoding: the evaluator's own if it has one; a ring if the scope reaches back a limited number of
  // words and nothing else of their places counts; otherwise all keys and values.
  std::unique_ptr<AttentionMemory> memory() const;

  // True if the result depends on the places of queries and keys and not only on their distances: through the scope,
  // the score, the position, or a rotation of queries and keys that the score or the evaluator does not turn into
  // distances.
  bool reads_places() const;

  // ValueError, naming `owner`, if the chosen evaluator cannot do these stages with the position `by`: their own, or
  // one that all layers of a stack share, whose bias comes with each call.
  void require_evaluated(const char* owner, const HeadPosition& by, const std::string& called) const;
  // ValueError, naming `owner`, if the position reads the words of self-attention (reads_words.h), which it does not
  // have in `got`.
  void require_own_words(const char* owner, const char* got) const;
  // ValueError, naming `owner`, if the result of a query depends on the other queries of the call. Of a decoder that
  // computes all steps in one call: each would see later words.
  void require_steps_apart(const char* owner) const;

  StageSet set() const { return {*score, *position, *scope, *normaliser, weight_dropout}; }
  // True if an observer or a hook will see the weights or the scores, so that they must be stored.
  bool watched() const;
  void visit_stages(Visitor& v);     // all of them, in the order of the pipeline
  void visit_scope(Visitor& v);      // only a scope that has something to learn, or to show
  void visit_position(Visitor& v);   // only where there is one
  void visit_evaluator(Visitor& v);  // only one that has something to learn

  AttentionOptions stages;  // completed
  std::unique_ptr<Score> score;
  std::unique_ptr<HeadPosition> position;
  std::unique_ptr<Scope> scope;
  std::unique_ptr<Normaliser> normaliser;
  std::unique_ptr<Evaluator> evaluator;  // as chosen by name; none for auto
  Dropout weight_dropout;

 private:
  Attended one_query_at_a_time(const Variable& queries, const AttentionCall& call, StageContext& context) const;
  const Evaluator& chosen(bool must_show) const;
  void add_bias_of_marks(AttentionCall& call, int64_t queries) const;
  std::vector<std::unique_ptr<Evaluator>> automatic_;  // cheaper than dense, and accepting these stages
  DenseEvaluator dense_;
};

}  // namespace heed::nn
