// One layer of a transformer (Vaswani et al., NeurIPS 2017, section 3.1); transformer_stack.h puts layers on each
// other. Two switches make it a part of an encoder, a decoder or a language model:
//
//                    causal   cross   PyTorch's name
//   encoder            -        -     TransformerEncoderLayer, TransformerEncoder
//   decoder           yes      yes    TransformerDecoderLayer, TransformerDecoder
//   language model    yes       -     TransformerEncoder with a mask
//
// A layer is two or three sub-layers f, self-attention, cross-attention to the encoder outputs m of a source, and the
// feed-forward network, each beside a path that carries x past it:
//
// clang-format off
//   norm last    x <- norm(x + dropout(f(x)))   The paper's. Every signal passes through every
//                                               norm; deep stacks need a small learning rate at
//                                               first.
//   norm first   x <- x + dropout(f(norm(x)))   From the last layer to the first there is a path
//                                               with nothing on it. x grows with depth, so the
//                                               stack ends in a norm of its own.
// clang-format on
//
// (Xiong et al., ICML 2020, has the reasons; the paper's text is norm last, its code came to be norm first.)
// Dropout is applied after each sub-layer, on the weights of attention, and inside the feed-forward network.
// Names and layouts are PyTorch's: self_attn, multihead_attn, linear1, linear2, norm1 .. norm3; layers.0 .., norm.
// B batch, T words, S words of the source, D width of the model, F feed-forward width.
//
// Cost of a layer forward: 2 B T (4 D^2 + 2 D F + 2 T D) FLOPs, with a gate 3 D F, and for cross-attention
// 2 B (2 T D^2 + 2 S D^2 + 2 T S D) more.
#pragma once

#include <optional>

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"

namespace heed::nn {

struct TransformerLayerOptions {
  int64_t model, heads, inner;    // D, H, F
  bool causal = false;            // a word sees those before it and itself
  bool cross = false;             // a second attention, to the source
  int64_t kv_heads = 0;           // heads of keys and values; 0: as the heads
  Arounds around = {};            // around attention (nn/attention/around/), self- and cross-attention alike
  int64_t layer = 0, layers = 0;  // which it is, from 0, in a stack of so many; layers 0: in no stack
  bool shared_keys = false;       // self-attention reads the keys and values of an earlier layer of the stack
  // The stages of self-attention (nn/attention/pipeline.h); a causal layer adds the causal scope to theirs. Cross-
  // attention has the same score, normaliser and evaluator, sees the whole source, and knows no distances. A position
  // that is `shared` belongs to the stack. An empty score is scaled_dot, or what the position was made for.
  ScoreOptions score = {};
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  HeadPositionOptions position = {};
  EvaluatorOptions evaluator = {};
  std::optional<EvaluatorOptions> cross_evaluator = {};  // of cross-attention, where it has another
  MixerOptions mixer = {};  // in the place of self-attention (nn/attention/mixers/mixer.h); without a name: none
  std::string activation = "relu";  // of the feed-forward network (feed_forward.h)
  std::string norm = "layer";       // or rms
  bool norm_first = false;
  double dropout = 0;            // after each sub-layer
  double attention_dropout = 0;  // of the weights
  double inner_dropout = 0;      // inside the feed-forward network
};

// What a layer receives besides its words: masks, and the source.
struct LayerInput {
  HeadMasks self = {};   // of self-attention; with caches, self.words has all words so far
  Variable memory = {};  // the encoder outputs m [B, S, D]; for a layer with cross-attention
  HeadMasks cross = {};  // cross.words [B, S]: false where m is padding
};

// What a layer keeps of the words before, when they come piece by piece: the same numbers as all at once.
// Gradients depend on the memory in `self`: HeadCache and RingMemory carry none, segments and running sums do.
struct LayerCache {
  std::unique_ptr<AttentionMemory> self = {};  // of the words so far, as self-attention wants it
  HeadMemory cross = {};  // of the source, projected once; taken from LayerInput::memory at the first piece
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

struct TransformerLayer : Module {
  static constexpr About about{
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

  using Options = TransformerLayerOptions;
  TransformerLayer(const Options& options, Generator& rng);
  // x [B, T, D]. With a cache, x continues the words that are in it, and is added to them. If it throws, the cache is
  // what it was.
  LayerOutput operator()(const Variable& x, const LayerInput& in = {}, LayerCache* cache = nullptr) const;
  void visit(Visitor& v) {
    if (self_attn) v.child("self_attn", *self_attn);
    if (mixer) v.child("mixer", *mixer);
    if (multihead_attn) v.child("multihead_attn", *multihead_attn);
    feed_forward.visit(v);  // linear1, linear2
    v.child("norm1", norm1);
    v.child("norm2", norm2);
    if (norm3) v.child("norm3", *norm3);
    v.child("dropout", dropout);
  }
  std::unique_ptr<AttentionMemory> memory() const;  // an empty one, for a cache
  Options options;
  std::optional<MultiHeadAttention> self_attn;  // or a mixer in its place
  std::unique_ptr<Mixer> mixer;
  std::optional<MultiHeadAttention> multihead_attn;
  FeedForward feed_forward;
  AnyNorm norm1, norm2;
  std::optional<AnyNorm> norm3;
  Dropout dropout;

 private:
  LayerOutput run(const Variable& x, const LayerInput& in, LayerCache* cache) const;
  MultiHeadOutput look_back(const Variable& x, HeadMasks masks, LayerCache* cache) const;
  MultiHeadOutput look_at_source(const Variable& x, const LayerInput& in, LayerCache* cache) const;
};

// What a position by these options would say of itself; it has the smallest widths.
std::unique_ptr<HeadPosition> kind_of(HeadPositionOptions position);
// That of the heads: the layer's own, or what its position was made for.
ScoreOptions score_of(const TransformerLayerOptions& options);
// What a score that is not divided by a root would have been divided by: the first queries are (Raffel et al.'s code).
void begin_unscaled(MultiHeadAttention& attention);

}  // namespace heed::nn
