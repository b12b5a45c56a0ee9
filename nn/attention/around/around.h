// What can be added around the formula of multi-head attention without a change to it. Attention calls these functions
// in its own order; a wrapper overrides those that it changes, and is one file of this folder:
//
//   q      <- queries(q), k <- keys(k)           of each head, before positions
//   v      <- values(v)                          of this call's words, once they are projected
//   call   <- before(call)                       what the scores are computed from: a bias
//   head_h  = softmax(score(q, k) + bias) v
//   head_h <- after(head, scores, x)             before the output projection; x: what the queries were made of
//
// A layer hands on a list (Arounds), unread, and Passed, in which the wrappers of one layer leave something for those
// of the next. kv_heads and shared keys are no wrappers: they decide which projections exist. B batch, G heads of keys
// and values, H heads, n words, T queries, S keys, D width of the model, K of a head.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/about.h"
#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// What the layers of a stack pass on, in one call of the stack. The code that runs the layers owns it, and need not
// know its contents; a checkpoint has all Variables as inputs and outputs.
struct Passed {
  std::map<std::string, Variable> left = {};  // by the names of wrappers; "keys", "values": shared ones (multi_head.h)
  KeptKeys kept = {};                         // which words the shared keys are of (multi_head.h)
};

// "head_scale", or with a text of its own: {"pruned_heads", "0.3,2.1"}.
struct ChosenAround {
  std::string name, text = {};
};
using Arounds = std::vector<ChosenAround>;

struct AroundOptions {
  int64_t model, heads;  // D, H
  int64_t head = 0;      // K; 0: D/H
  int64_t layer = 0;     // of its stack, from 0
  bool cross = false;    // around cross-attention
  bool own_keys = true;  // the layer projects keys and values
  bool bias = true;      // of projections
  std::string text = {};
  int64_t width() const { return head > 0 ? head : model / heads; }  // K
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
  // The reason why it needs them, the beginning of an error message; null: it does not need them.
  virtual const char* needs_scores() const { return nullptr; }  // an evaluator that is exact and stores all scores
  virtual const char* needs_values() const { return nullptr; }  // of its own layer, in a memory that keeps values
  virtual std::string needs_attention() const { return ""; }    // why its layer cannot have a mixer; "": it can
  virtual void visit(Visitor&) {}
};

// A line of the list (all.cpp), made of what the wrapper's struct declares:
//
//   about, help               what it is; what its option does
//   passes                    constant true: it leaves something in Passed
//   refuses_scopes            a constant text: why all layers of a stack must have one scope
//   examples, require(..)     of the text that its option takes; without them the option is on or off
//   acts(options)             false where it is not needed, in cross-attention for example
//
// All but the first two may be missing. queries, keys and before are called in the order of the list that was chosen,
// values and after in reverse: the first is the outermost.
struct AroundRow {
  const About* about;
  const char* help;                   // of the option that has its name
  bool passes;                        // it leaves something in Passed
  const char* refuses_scopes;         // why the layers must be alike; none: they may differ
  std::vector<std::string> examples;  // of its text; none: it is on or off
  // ValueError if the text is invalid for a stack of `layers` layers with `heads` heads each. With 0 layers only its
  // form is checked.
  void (*require)(const std::string& text, int64_t layers, int64_t heads);
  std::unique_ptr<Around> (*make)(const AroundOptions&, Generator&);  // null where it does nothing
};
const std::vector<AroundRow>& around_rows();
const AroundRow& around_row(const std::string& name);  // ValueError for an unknown name
// ValueError, which begins with the owner's name, if the layers of a stack differ and it needs them alike.
void require_alike(const char* owner, const std::string& name, bool differ);
// The wrappers of one attention, in the order of `chosen`. ValueError for a name that occurs twice, or a text for a
// wrapper that takes none.
std::vector<std::unique_ptr<Around>> make_arounds(const Arounds& chosen, AroundOptions options, Generator& rng);

}  // namespace heed::nn
