// The transformer (Vaswani et al., "Attention is all you need", NeurIPS 2017) maps one sequence to another without
// recurrence: information passes from word to word through attention only, and training computes all words in parallel.
//
// clang-format off
//   x = sqrt(D) W[word] + position                sections 3.4 and 3.5, token_embedding.h [B, S, D]
//   encoder, N layers of two sub-layers           section 3.1
//     x <- norm(x + self-attention(x))              section 3.2.3: a word attends to every word
//     x <- norm(x + feed-forward(x))                section 3.3: each word alone, nn/feed_forward.h
//   m = x of the last layer                       the encoder outputs, or annotations
//   decoder, N layers of three                    x from the words <s> y_1 .. y_{t-1}     [B, T, D]
//     x <- norm(x + self-attention(x))              a word attends to itself and to earlier words
//     x <- norm(x + cross-attention(x, m))          and to the source words
//     x <- norm(x + feed-forward(x))
//   p(y_t) = softmax(W_o h_t + b)                 h = x of the last layer; section 3.4    [B, T, V]
// clang-format on
//
// With norm_first a sub-layer f is x <- x + f(norm(x)), and a stack needs one more norm, at its end (Xiong et al., ICML
// 2020). Dropout is applied to the embedded words and to f(x) (section 5.4). By default, as in nn.Transformer, there is
// also dropout of the attention weights and inside the feed-forward network, and norm last has a norm at the end, too.
//
// Masks restrict the attention: the key padding mask of the source; the causal mask of the decoder, so that all target
// words can be trained at once; and, for packed rows (packing.h), the mask that keeps sentences apart. Names and
// layouts are those of PyTorch's nn.Transformer: encoder.layers.0.self_attn.in_proj_weight, ..; and in addition
// source_embedding, target_embedding, output. A tied matrix appears under each of its names. What the paper does not
// have is in layer_options.h and the sources beside this one; bert.h has the encoder alone, language_model.h the
// decoder. B batch, S source words, T target words, D width, H heads, V vocabulary.
#pragma once

#include "nn/decode/encoder_decoder.h"
#include "nn/feed_forward.h"
#include "nn/norm.h"
#include "nn/output_heads/output_head.h"
#include "nn/transformer/packing.h"
#include "nn/transformer/token_embedding.h"

namespace heed::nn {

// A layer of the encoder, or with `cross` one of the decoder.
struct TransformerLayer : Module {
  using Options = TransformerLayerOptions;
  TransformerLayer(const Options& options, Generator& rng);
  // x [B, T, D]: with a cache, the words after those in the cache, which then has them too (unchanged if this throws).
  LayerOutput operator()(const Variable& x, const LayerInput& in = {}, LayerCache* cache = nullptr) const;
  std::unique_ptr<AttentionMemory> memory() const;  // an empty one, for a cache
  void visit(Visitor& v);
  Options options;
  std::optional<MultiHeadAttention> self_attn;
  std::unique_ptr<Mixer> mixer;                      // replaces self_attn (nn/attention/mixers/)
  std::optional<MultiHeadAttention> multihead_attn;  // cross-attention
  FeedForward feed_forward;
  AnyNorm norm1, norm2;
  std::optional<AnyNorm> norm3;
  Dropout dropout;

 private:
  template <class F>
  Variable residual(const AnyNorm& norm, const Variable& x, const F& f) const;  // f with its norm and residual path
  Variable encoder_layer(const Variable& x, LayerCall& call) const;
  Variable decoder_layer(const Variable& x, LayerCall& call) const;
  Variable self_attention(const Variable& x, LayerCall& call) const;  // or the mixer
  Variable cross_attention(const Variable& x, LayerCall& call) const;
  LayerOutput run(const Variable& x, const LayerInput& in, LayerCache* cache) const;
};

// N layers on each other: an encoder, a decoder, or, causal and without `cross`, a language model.
struct TransformerStack : Module {
  using Options = TransformerStackOptions;
  TransformerStack(const Options& options, Generator& rng);
  // Sentences in `rows` (a name for the error) begin anywhere: ValueError if a stage reads more than distances.
  void require_distances(const char* rows) const;
  // The weights are those of the last layer, if `in` asks for them. One cache per layer; all unchanged if it throws.
  LayerOutput operator()(const Variable& x, const LayerInput& in = {}, std::vector<LayerCache>* caches = nullptr) const;
  void visit(Visitor& v);
  Options options;
  int64_t checkpoint = 0;  // training: a group of this many layers keeps only its input (stack_checkpoint.cpp)
  std::vector<TransformerLayer> layers;
  std::unique_ptr<HeadPosition> position;  // one for all layers (t5); null: each layer has its own
  std::optional<AnyNorm> norm;

 private:
  LayerOutput run(const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches) const;
  LayerOutput in_turn(const Variable& x, const LayerInput& in, std::vector<LayerCache>& caches) const;  // word by word
  LayerOutput checkpointed(size_t first, size_t last, const Variable& x, const LayerInput& in) const;
};

struct Transformer : EncoderDecoder {
  using Options = TransformerOptions;
  Transformer(const Options& options, Generator& rng);

  struct Encoded {
    Variable annotations;    // m, the encoder outputs [B, S, D]
    Tensor words = {};       // key padding mask, bool [B, S]; undefined for a packed source
    Tensor segments = {};    // [B, S] i64 of a packed source
    OutputSource read = {};  // the source for an output that copies its words
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64
  struct Decoded {
    Variable features;  // h [B, T, D]
    Variable weights;   // [B, H, T, S] of the last cross-attention; only if requested, or if the output reads them
  };
  struct Decoding {
    std::vector<LayerCache>* caches = nullptr;  // of the words before target_in; empty at the first call
    bool weights = false;
  };
  Decoded decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const;
  // [.., D] -> [.., V]. An output that copies also reads the alignment [.., S] and the source, and returns [.., V'].
  Variable logits(const Variable& features, const Variable& alignment = {}, const OutputSource& source = {}) const;
  Variable logits(const Decoded& decoded, const OutputSource& source) const;

  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const override;
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const override;
  // Packed rows: segment i of a target row is the translation of segment i of its source row (packed_rows.cpp).
  Encoded encode(const Packed& source) const;
  Decoded decode(const Packed& target_in, const Encoded& source) const;
  Variable operator()(const Packed& source, const Packed& target_in) const;

  Tensor writable(const Tensor& source, const Tensor& lengths) const override;  // OutputHead::writable
  Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const override;
  int64_t max_positions() const override { return position_limit(options); }
  void set_checkpoint(int64_t layers) override { encoder.checkpoint = decoder.checkpoint = layers; }
  void visit(Visitor& v) override;
  Options options;
  TokenEmbedding source_embedding, target_embedding;
  TransformerStack encoder, decoder;
  std::unique_ptr<OutputHead> output;  // W_o
};

}  // namespace heed::nn
