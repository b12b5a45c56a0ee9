// How attention is computed: one formula, and several orders in which to compute it.
//
//   c_t = sum_s drop(w_ts factor_ts) v_s + read(w factor),   w = normalise(score(q, k) + bias, where allowed)
//
// An evaluator states which stages it refuses. It asks for their abilities (is_softmax, product_scale, ..) and never
// for their names, so a new stage needs no change here if it overrides the abilities that differ from the defaults. B
// batch, T queries, S keys, H heads, G key-value heads (a divisor of H; head h reads key-value head h / (H / G)), K and
// V widths of a head. Without heads the axis H is missing everywhere.
#pragma once

#include <memory>
#include <string>

#include "nn/attention/attend.h"
#include "nn/attention/memories/memory.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/positions/head_position.h"
#include "nn/attention/scopes/scope.h"
#include "nn/attention/scores/score.h"

namespace heed::nn {

// The stages of one attention, as an evaluator sees them.
struct StageSet {
  const Score& score;
  const HeadPosition& position;
  const Scope& scope;
  const Normaliser& normaliser;
  const Dropout& dropout;
  bool sequential() const { return score.sequential() || normaliser.sequential(); }
};

// One call: the operands, and what restricts them.
struct AttentionCall {
  Variable queries = {};              // [B, T, Q] or [B, H, T, K], with their positions
  Variable keys = {}, values = {};    // [B, S, ..] or [B, G, S, ..]; keys as the score prepared them
  Tensor allowed = {};                // the caller's masks, broadcastable to the scores; undefined: everything
  Tensor query_words = {};            // bool [B, T]: false for a query that is padding; undefined: none is
  Variable bias = {};                 // the caller's bias, broadcastable to the scores
  Variable marks = {};                // [B, H, S, m], for a position that reads words (reads_words.h)
  bool biased = false;                // has the bias of these marks joined `bias`?
  Restriction restriction = {};       // what the scope returned
  bool weights = true;                // set to get the weights back; dense replaces an exact evaluator that stores none
  bool report = true;                 // to Observe
  bool clean = false;                 // are keys and values of padding known to be ordinary numbers?
  bool self = false;                  // are the queries the same words as the keys? Padding then hides queries too
  AttentionMemory* memory = nullptr;  // of an evaluator that keeps no keys: it reads from there
};

// Of an evaluator that differs from layer to layer: its setting `layer`, from 1, or the place of its layer in the
// stack; 0 if it is in none.
int64_t layer_number(int64_t setting, const EvaluatorOptions& options);

struct Evaluator : Module {
  using Stage = Evaluator;
  virtual ~Evaluator() = default;
  Evaluator() = default;
  Evaluator(Evaluator&&) = default;
  Evaluator& operator=(Evaluator&&) = default;

  // Why it cannot evaluate these stages, as the rest of a sentence; empty if it can. Called when attention is built.
  virtual std::string refuses(const StageSet& stages) const = 0;
  virtual Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const = 0;

  virtual bool automatic() const { return false; }       // may `auto` choose it before dense?
  virtual bool exact() const { return true; }            // the same numbers as dense, up to rounding
  virtual bool shows_weights() const { return true; }    // false: dense replaces an exact one if weights are wanted
  virtual bool rows_sum_to_one() const { return true; }  // of softmax's weights; an output that copies needs it
  // Does the result of a query depend on the other queries of the call? A decoder that computes all steps in one call
  // cannot use such an evaluator: each step would see later words, and padding.
  virtual bool mixes_queries() const { return false; }
  // The weights that its result implies, [.., T, S]: those of dense for an exact one. Observe reports them.
  virtual Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const;
  // What is kept during decoding, if it is not the keys and values of HeadCache; and a step that reads from it, for
  // queries whose words were appended before. Null: the pipeline chooses a memory.
  virtual std::unique_ptr<AttentionMemory> memory(const StageSet&) const { return nullptr; }
  // Is its memory a recurrent state, which holds no single words? Padding must then be known when words are appended,
  // and no weights can be shown.
  virtual bool keeps_state() const { return false; }
  // Does step read the words of this memory where they are, instead of view()? The caller's masks still apply.
  virtual bool reads_in_place(const AttentionMemory&) const { return false; }
  virtual Attended step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                        StageContext& context) const;
  virtual void visit(Visitor&) {}
};

// ValueError for a name or a setting that the registry does not have.
std::unique_ptr<Evaluator> make_evaluator(const EvaluatorOptions& options, Generator& rng);

}  // namespace heed::nn
