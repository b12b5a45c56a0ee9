// What the layers and stacks of transformer.h can have that the paper does not: norms first, other stages of attention
// or a mixer in its place, wrappers around it, keys that layers share, and caches for words that come piece by piece.
// B batch, T words, S words of the source, D width of the model, H heads, G heads of keys and values, F feed-forward
// width.
//
// FLOPs of a layer, forward, where G = H: 2 B T (4 D^2 + 2 D F + 2 T D), with a gate 3 D F in place of 2 D F; and for
// cross-attention 2 B (2 T D^2 + 2 S D^2 + 2 T S D) more.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"

namespace heed::nn {

inline constexpr About kAboutNormOrder{
    .names = {"H1", "norm_order", "pre-norm and post-norm", "norm_first"},
    .formula = "last: x <- norm(x + f(x));  first: x <- x + f(norm(x)), and one norm at the end of the stack",
    .paper = {"Vaswani et al., NeurIPS 2017 (last); Xiong et al., ICML 2020 (first)", 2017, 1},
    .idea =
        "A layer can normalise its input (norm first), or the sum of input and output (norm last). With the norm "
        "first there is a path from the output to the input that nothing scales, and training needs no warm-up. With "
        "the norm last training is delicate, but the result can be slightly better.",
    .wrong =
        "The text of the transformer paper normalises last, while its published program normalises first. With the "
        "norm first, the stack needs one more norm at its end.",
    .shapes = "[B, T, D] -> [B, T, D]",
    .cost = "the same, except that norm_first has one more norm at the end of the stack",
    .own = {"norm_first_and_last_are_their_lines"},
    .cases = "TransformerLayer",
};

inline constexpr About kAboutSharedKeys{
    .names = {"G9", "shared_keys", "cross-layer attention", "CLA"},
    .formula = "layers n, n + 1, .., n + L - 1 read k and v of layer n; each has queries of its own",
    .paper = {"Brandon et al. (CLA), NeurIPS 2024", 2024, 4},
    .idea =
        "Several layers in a row use the keys and values that the first of them has computed. Each layer has queries "
        "of its own, so it can still look for something else. The cache of a decoder shrinks by the number of layers "
        "that share.",
    .wrong =
        "A layer that shares keys still needs to know the position of its first query. It has no cache of its own to "
        "count the words in. YOCO is another method: one pair of keys and values for the whole upper half of a model.",
    .shapes = "[B, G, S, K] -> [B, G, S, K]",
    .cost = "in a layer that shares 2 S D^2 G/H products and as many parameters less, and no cache",
    .own = {"second_layer_reads_the_first", "shared_cache_is_the_whole"},
    .cases = "TransformerStack",
    .architecture = "transformer",
    .option = "shared_keys",
    .text = "L",
};

struct TransformerLayerOptions {
  int64_t model, heads, inner;    // D, H, F
  bool causal = false;            // a word attends to itself and to earlier words
  bool cross = false;             // a second attention, to the source
  int64_t kv_heads = 0;           // G; 0: H
  Arounds around = {};            // wrappers of attention (nn/attention/around/), self- and cross-attention alike
  int64_t layer = 0, layers = 0;  // its index, from 0, and the stack's number of layers; 0, 0: no stack
  bool shared_keys = false;       // self-attention reads the keys and values of an earlier layer of the stack
  // The stages of self-attention (nn/attention/pipeline.h); if the layer is causal, their scope is intersected with the
  // causal one. Cross-attention has the same score, normaliser and evaluator, no position, and the whole source as its
  // scope. A position that all layers share (t5) belongs to the stack. An empty score is scaled_dot, or the one that
  // the position was made for.
  ScoreOptions score = {};
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  HeadPositionOptions position = {};
  EvaluatorOptions evaluator = {};
  std::optional<EvaluatorOptions> cross_evaluator = {};  // of cross-attention, where it has another
  MixerOptions mixer = {};          // replaces self-attention (nn/attention/mixers/mixer.h); without a name: none
  std::string activation = "relu";  // of the feed-forward network (feed_forward.h)
  std::string norm = "layer";       // or rms
  bool norm_first = false;
  double dropout = 0;            // of the output of each sub-layer
  double attention_dropout = 0;  // of the weights
  double inner_dropout = 0;      // inside the feed-forward network
};

// What a layer receives besides its words: masks, and the source.
struct LayerInput {
  HeadMasks self = {};   // of self-attention; with caches, self.words has all words so far
  Variable memory = {};  // the encoder outputs m [B, S, D]; for a layer with cross-attention
  HeadMasks cross = {};  // cross.words [B, S]: false where m is padding
};

// What a layer keeps of earlier words, so that words can come piece by piece, with the numbers of all at once.
// Whether gradients reach earlier pieces depends on `self`: HeadCache and RingMemory carry none, running sums do.
struct LayerCache {
  std::unique_ptr<AttentionMemory> self = {};  // of the words so far, as self-attention or the mixer wants it
  HeadMemory cross = {};  // keys and values of the source, projected from LayerInput::memory at the first piece
  AlignmentState state = {}, cross_state = {};  // of stages that remember the step before
  int64_t words() const { return self ? self->words() : 0; }
  KeptKeys kept_after(int64_t n) const { return self ? self->kept_after(n) : KeptKeys{.end = n}; }
  void keep(const Tensor& rows);  // of the words and the states, not of the source
  Undo undo();                    // what puts back all that is kept now (AttentionMemory::undo)
};

struct LayerOutput {
  Variable output;  // [B, T, D]
  // [B, H, T, S] of cross-attention, [B, H, T, T] of self-attention where there is none; if LayerInput asked for them
  Variable weights;
};

// One call of a layer: what it receives and keeps, and the weights that it shows.
struct LayerCall {
  const LayerInput& in;
  LayerCache* cache;
  Variable weights = {};
  Variable shows(const MultiHeadOutput& seen) {
    weights = seen.weights;
    return seen.output;
  }
};

// What replaces self-attention, or one of its stages, in one layer of a stack. Without a name: what the stack has.
struct LayerMixer {
  ScopeOptions scope = {};
  EvaluatorOptions evaluator = {};
  MixerOptions mixer = {};
};

struct TransformerStackOptions {
  TransformerLayerOptions layer;
  int64_t layers;
  bool final_norm = true;               // a norm after the last layer, as in nn.Transformer, norm first or last
  int64_t shared_keys = 1;              // this many layers in a row read the keys and values of the first of them
  std::vector<LayerMixer> mixers = {};  // layer i has mixer i mod their number; none: all layers alike
};
// The options of layer i of a stack: those of all layers, with the mixer and the place of this one.
TransformerLayerOptions layer_of(const TransformerStackOptions& stack, int64_t i);

// A position by these options, with the smallest widths: to ask it for its properties.
std::unique_ptr<HeadPosition> kind_of(HeadPositionOptions position);
// The score of the heads: the one in the options, or if it is empty the one that their position was made for.
ScoreOptions score_of(const TransformerLayerOptions& options);
// Divides the initial W_q by sqrt(D/H), for a score that does not divide q . k by it (as the code of T5, Raffel et
// al.).
void begin_unscaled(MultiHeadAttention& attention);

}  // namespace heed::nn
