// What can be added around the formula of multi-head attention without a change to it. Attention calls these functions
// in its own order; a wrapper overrides those that it is about, and is one file of this folder:
//
//   q      <- queries(q), k <- keys(k)           of each head, before positions
//   v      <- values(v)                          of this call's words, once they are projected
//   call   <- before(call)                       what the scores are computed from: a bias
//   head_h  = softmax(score(q, k) + bias) v
//   head_h <- after(head, scores, x)             before the output projection; x: what the queries were made of
//
// A layer names none of them: it hands on a list (Arounds), of which the first is the outermost, and Passed, in which
// the wrappers of one layer leave something for those of the next. kv_heads and shared keys are no wrappers: they
// decide which projections exist. B batch, G heads of keys and values, H heads, n words, T queries, S keys, D width of
// the model, K of a head.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/about.h"
#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// What the layers of a stack pass on, in one call of the stack. Whoever runs the layers owns it, and need not know what
// is in it; a checkpoint has all Variables as inputs and outputs.
struct Passed {
  std::map<std::string, Variable> left = {};  // by the names of those that left it
  int64_t first_key = 0;                      // the place of the first of the shared keys (multi_head.h)
};

// "head_scale", or with a text of its own: {"pruned_heads", "0.3,2.1"}.
struct ChosenAround {
  std::string name, text = {};
};
using Arounds = std::vector<ChosenAround>;

struct AroundOptions {
  int64_t model, heads;  // D, H
  int64_t layer = 0;     // of its stack, from 0
  bool cross = false;    // around cross-attention
  bool own_keys = true;  // the layer projects keys and values
  bool bias = true;      // of projections
  std::string text = {};
};

struct Around : Module {
  Around() = default;
  Around(Around&&) = default;
  Around& operator=(Around&&) = default;
  virtual ~Around() = default;
  virtual Variable queries(const Variable& q) const { return q; }          // [B, T, H, K]
  virtual Variable keys(const Variable& k) const { return k; }             // [B, n, G, K]
  virtual Variable values(const Variable& v, Passed*) const { return v; }  // [B, G, n, K]
  virtual void before(AttentionCall&, Passed*) const {}
  virtual Variable after(const Attended& seen, const Variable& /*x*/, Passed*) const { return seen.context; }
  virtual bool needs_scores() const { return false; }         // an exact evaluator, and all keys side by side
  virtual bool needs_values() const { return false; }         // those of its own layer, and a memory that keeps them
  virtual std::string needs_attention() const { return ""; }  // why no mixer may stand in its layer; "": one may
  virtual void visit(Visitor&) {}
};

// A line of the list (all.cpp): described from the wrapper's struct.
struct AroundRow {
  const About* about;
  const char* help;                   // of the option that has its name
  bool passes;                        // it leaves something in Passed
  const char* refuses_scopes;         // why the layers must be alike; none: they may differ
  std::vector<std::string> examples;  // of its text; none: it is on or off
  // ValueError if the text cannot be, for stacks of so many layers of so many heads; 0: any number.
  void (*require)(const std::string& text, int64_t layers, int64_t heads);
  std::unique_ptr<Around> (*make)(const AroundOptions&, Generator&);  // null where it does nothing
};
const std::vector<AroundRow>& around_rows();
const AroundRow& around_row(const std::string& name);  // ValueError for an unknown name
// Those of one attention, in the order of the list that was chosen.
std::vector<std::unique_ptr<Around>> make_arounds(const Arounds& chosen, AroundOptions options, Generator& rng);

}  // namespace heed::nn
