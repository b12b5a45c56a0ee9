// The options of multi-head attention (multi_head.h), and what a call is told besides its words.
#pragma once

#include <memory>
#include <vector>

#include "nn/attention/around/around.h"
#include "nn/attention/attention.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutAttentionDropout{
    .names = {"H5", "attention_dropout"},
    .family = "around attention",
    .formula = "c = sum_s m_s w_s v_s / (1 - p),  m_s ~ Bernoulli(1 - p), after the softmax",
    .paper = {"Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "In training some weights are set to zero at random, and the others are multiplied by 1 / (1 - p). A query "
        "then cannot rely on one word alone. In evaluation nothing is dropped.",
    .wrong = "It acts after the softmax, so the weights of a row no longer sum to one during training.",
    .shapes = "[B, H, T, S] -> [B, H, T, S]",
    .cost = "one random number per weight, drawn again in the backward pass; 16 bytes of state",
    .own = {"dropped_rows_sum_to_one_on_average", "shown_weights_are_whole", "dropout_is_drawn_again"},
};

struct MultiHeadOptions {
  int64_t model, heads;        // D, H
  int64_t key = 0, value = 0;  // widths of the inputs of the key and value projections; 0: D
  bool bias = true;            // of all four projections
  double dropout = 0;          // of the weights, after the softmax; a row then no longer sums to 1
  // The stages of each head (nn/attention/pipeline.h); their widths are set to those of a head.
  ScoreOptions score = {};  // empty: scaled_dot
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  int64_t kv_heads = 0;  // G, must divide the number of heads; 0: equal to it
  HeadPositionOptions position = {};
  EvaluatorOptions evaluator = {};  // empty: auto, which is dense if the weights are needed
  Arounds around = {};              // wrappers (nn/attention/around/), the first outermost
  int64_t layer = 0, layers = 0;    // the index of its layer, from 0, and the stack's number of layers; 0, 0: no stack
  bool cross = false;               // is it cross-attention?
  int64_t head = 0;                 // K, also other than D/H; 0: D/H
  bool apart = false;               // three projections with a weight and a bias each, in place of one stacked matrix
  bool shared_keys = false;  // no keys and values of its own: those of an earlier layer (Passed, "keys" and "values")
};

// Which query may attend to which key, in addition to the scope. Each field may be undefined, which allows everything.
// An attention mask and a bias have the same shapes: [T, S], [B, T, S] (the same for all heads) or [B, H, T, S]; axes
// of size 1 broadcast. A mask with one matrix per head is [1, H, T, S].
struct HeadMasks {
  Tensor words = {};     // key padding mask, bool [B, S]: false for padding, whose values, even NaN, are ignored
  Tensor allowed = {};   // attention mask, bool
  Variable bias = {};    // added to the scores
  Places places = {};    // positions of queries and keys; the call fills in how many there are
  bool weights = false;  // set to get the weights back; forces an evaluator that stores them
  AlignmentState* state = nullptr;    // when decoding step by step, for stages that keep a state
  AttentionMemory* memory = nullptr;  // filled in by extend, for an evaluator that reads the memory itself
  Variable heads = {};                // [H] or [B, H]: a factor for the output of each head
  Passed* passed = nullptr;           // from layer to layer of a stack
  Tensor query_words = {};            // bool [B, T]: which queries are words; self-attention fills it in
};

struct MultiHeadOutput {
  Variable output;   // [B, T, D]
  Variable weights;  // [B, H, T, S], before dropout; undefined unless requested
};

}  // namespace heed::nn
