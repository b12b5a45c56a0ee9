// Multi-head attention (section 3.2.2 of the paper; roles_of_heads.h): several attention heads run in parallel.
//
//   q_h = (x W_q^T + b_q)_h     k_h = (y W_k^T + b_k)_h     v_h = (z W_v^T + b_v)_h     columns h D/H .. (h + 1) D/H
//   head_h = softmax(q_h k_h^T / sqrt(D/H), where allowed) v_h                          [B, T, D/H]
//   output = [head_1; ..; head_H] W_o^T + b_o = sum_h head_h W_o,h^T + b_o              [B, T, D]
//
//   self-attention     x = y = z                                   MultiHeadAttention(x)
//   cross-attention    x from the decoder, y = z from the encoder  MultiHeadAttention(x, y, y)
//   causal             self-attention with .scope = {.name = "causal"}
//
// The last axis is split into heads: [B, T, D] becomes [B, T, H, D/H] and is then permuted to [B, H, T, D/H].
// (Reshaping it directly to [B, H, T, ..] would mix up the words.) A query that may not attend to any key gets the
// output b_o. B batch, T queries, S keys, D width of the model, H heads. The parameters have the names and layouts of
// PyTorch:
//
//   in_proj_weight [3 D, D]: W_q, W_k, W_v stacked;   or, if keys or values have other widths than D,
//   q_proj_weight [D, D], k_proj_weight [D, K], v_proj_weight [D, V]
//   in_proj_bias [3 D], out_proj.weight [D, D], out_proj.bias [D]
//
// There may be fewer heads of keys and values than of queries, G < H: query head h then uses key-value head h / (H /
// G). The projections of keys and values then have G D/H rows, and in_proj_weight is [D + 2 G D/H, D].
//
// Positions can enter inside the heads (positions/head_position.h) or before, in the embedding.
//
// A layer without keys and values of its own reads those of an earlier one (Brandon et al., "Reducing transformer
// key-value cache size with cross-layer attention", NeurIPS 2024): it has q_proj_weight [D, D] alone, in_proj_bias [D],
// and no share of the cache.
//
// What can be around the formula, such as a gate, a scale of each head, values and scores of earlier layers, has a file
// of its own in nn/attention/around/.
//
// The stages of a head and the evaluators are those of pipeline.h. The default evaluator is tiled if the scores are
// products under a softmax and the weights are not asked for; otherwise it is dense, which stores B H T S numbers.
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
  int64_t model, heads;
  int64_t key = 0, value = 0;  // K, V: widths of the inputs of the key and value projections; 0: D
  bool bias = true;            // of all four projections
  double dropout = 0;          // of the weights, after the softmax; a row then no longer sums to 1
  // The stages of each head (nn/attention/pipeline.h); their widths are set to those of a head.
  ScoreOptions score = {};  // empty: scaled_dot
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  int64_t kv_heads = 0;  // G, must divide the number of heads; 0: equal to it
  HeadPositionOptions position = {};
  EvaluatorOptions evaluator = {};  // empty: auto, which is dense if the weights are needed
  Arounds around = {};              // what is around the formula (nn/attention/around/), the first outermost
  int64_t layer = 0, layers = 0;    // its layer, from 0, in a stack of so many; layers 0: in no stack
  bool cross = false;               // is it cross-attention?
  bool shared_keys = false;  // no keys and values of its own: those of an earlier layer (Passed, "keys" and "values")
};

// Which query may attend to which key, in addition to the scope. Each field may be undefined, which allows everything.
// An attention mask and a bias have the same shapes: [T, S], [B, T, S] (the same for all heads) or [B, H, T, S]; axes
// of size 1 broadcast. A mask with one matrix per head is [1, H, T, S].
struct HeadMasks {
  Tensor words = {};     // key padding mask, bool [B, S]: false for padding, whose values, even NaN, are ignored
  Tensor allowed = {};   // attention mask, bool
  Variable bias = {};    // added to the scores
  Places places = {};    // positions of the queries and keys; their counts are filled in
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

struct MultiHeadAttention : Pipeline {
  using Options = MultiHeadOptions;
  // Throws ValueError if the number of heads does not divide D.
  MultiHeadAttention(const Options& options, Generator& rng);

  MultiHeadOutput operator()(const Variable& x, const HeadMasks& masks = {}) const;  // self-attention, x [B, T, D]
  // query [B, T, D], key [B, S, K], value [B, S, V]
  MultiHeadOutput operator()(const Variable& query, const Variable& key, const Variable& value,
                             const HeadMasks& masks = {}) const;
  // words: the key padding mask of the call that reads them. Keys are turned at places that count from the first word,
  // so with padding before it `words` is needed here too; and not even a NaN in padding then reaches the gradient of a
  // projection.
  HeadMemory remember(const Variable& key, const Variable& value, const Places& places = {},
                      const Tensor& words = {}) const;
  MultiHeadOutput operator()(const Variable& query, const HeadMemory& memory, const HeadMasks& masks = {}) const;

  // Self-attention for words that continue a sequence: x [B, n, D] follows the words in the memory and is appended to
  // it, as projected keys and values or as it is (memory.keeps_inputs()). `masks.words` and the other masks cover the
  // keys that the memory keeps (memory.kept); words may also cover all words so far.
  // If it throws, the memory and masks.state are what they were.
  MultiHeadOutput extend(const Variable& x, AttentionMemory& memory, const HeadMasks& masks = {}) const;
  std::unique_ptr<AttentionMemory> memory() const;  // an empty one; of a layer with shared keys, one that counts words

  void visit(Visitor& v) {
    v.parameter("in_proj_weight", in_proj_weight);
    v.parameter("q_proj_weight", q_proj_weight);
    v.parameter("k_proj_weight", k_proj_weight);
    v.parameter("v_proj_weight", v_proj_weight);
    v.parameter("in_proj_bias", in_proj_bias);
    v.child("out_proj", out_proj);
    for (auto& wrapper : around) v.child("", *wrapper);
    visit_stages(v);
    v.child("dropout", weight_dropout);
  }
  Options options;
  Variable in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias;
  Linear out_proj;
  std::vector<std::unique_ptr<Around>> around;

 private:
  MultiHeadAttention(const Options& options, Linear out, Generator& rng);
  int64_t width() const { return options.model / options.heads; }  // K, the width of a head
  Variable heads(const Variable& x) const;                         // [B, T, n K] -> [B, T, n, K]
  HeadMemory memory_of(const Variable& keys, const Variable& values,
                       const Places& places) const;                                             // [B, S, G K] each
  HeadMemory projected(const Variable& key, const Variable& value, const Tensor& words) const;  // [B, S, G K] each
  // Keys as they are before their position, [B, G, S, K], for a memory that keeps them so; and as it reads them.
  HeadMemory unturned(const HeadMemory& projected) const;
  HeadMemory turned(const HeadMemory& memory, const Places& places) const;
  Variable project_query(const Variable& query) const;  // -> [B, T, D]
  // x [B, T, D]: what the queries were projected from
  MultiHeadOutput read(const Variable& queries, const Variable& x, const HeadMemory& memory, const HeadMasks& masks,
                       const Places& places, bool self = false) const;
  // Of self-attention whose queries x [B, T, D] are the last of S words. If more than distances counts, they are
  // counted from the first word of each sentence, so that padding before it changes nothing.
  Places own_places(const HeadMasks& masks, const Variable& x, int64_t S) const;
  MultiHeadOutput in_turn(const Variable& x, AttentionMemory& memory, const HeadMasks& masks) const;
  MultiHeadOutput continued(const Variable& x, AttentionMemory& memory, HeadMasks masks) const;
  Variable outputs_of(Attended seen, const Variable& x, const HeadMasks& masks) const;  // -> [B, T, D]
  Variable values_of(Variable values, Passed* passed) const;                            // [B, G, n, K]
  const char* any(const char* (Around::*needs)() const) const;                          // of what is around
};

}  // namespace heed::nn
