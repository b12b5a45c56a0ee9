// The transformer (Vaswani et al., "Attention is all you need", NeurIPS 2017) maps one sequence to another without
// recurrence and computes all words in parallel. Information passes from word to word through attention only.
//
//   m      = encoder(embed(source))                            every word attends to every word              [B, S, D]
//   h      = decoder(embed(<s> y_1 .. y_{t-1}), m)             attends to words up to its own, and to m      [B, T, D]
//   p(y_t) = softmax(W_o h_t + b)                              or another output (nn/output_heads/)   [B, T, V]
//
// Three masks restrict the attention: the key padding mask of the source, the causal mask of the decoder (no word
// attends to later words, so that all steps can be trained at once) and, for packed rows, the mask that keeps sentences
// apart. Padding of the target needs no mask: it follows the words, and no word attends to later ones.
//
// An output that copies (See, Liu and Manning, ACL 2017) needs one alignment per word: the weights of the last layer's
// cross-attention, averaged over the heads. The gate of a pointer-generator reads h_t alone, which holds the context
// and the previous word already: both have been added to it on the residual path. Attention that returns its weights is
// dense, so the last layer then stores [B, H, T, S].
//
// Parameters have the names of PyTorch's nn.Transformer: encoder.layers.0.self_attn.in_proj_weight, ..,
// decoder.norm.bias; and in addition source_embedding, target_embedding, output. A tied matrix appears under each of
// its names. transformer_reader.h has the encoder alone, transformer_language_model.h the decoder. B batch, S source
// words, T target words, D width, H heads, V vocabulary.
#pragma once

#include "nn/decode/encoder_decoder.h"
#include "nn/output_heads/output_head.h"
#include "nn/transformer/packing.h"
#include "nn/transformer/token_embedding.h"

namespace heed::nn {

struct Transformer : EncoderDecoder {
  using Options = TransformerOptions;
  Transformer(const Options& options, Generator& rng);

  struct Encoded {
    Variable annotations;    // m, the encoder outputs [B, S, D]
    Tensor words = {};       // key padding mask, bool [B, S]; undefined for a packed source
    Tensor segments = {};    // [B, S] i64 of a packed source
    OutputSource read = {};  // the source as the output sees it
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64
  Encoded encode(const Packed& source) const;

  struct Decoded {
    Variable features;  // h [B, T, D]
    // [B, H, T, S], the last layer's cross-attention; only if requested, or if the output needs the alignment
    Variable weights;
  };
  struct Decoding {
    std::vector<LayerCache>* caches = nullptr;  // `target_in` continues the words in these; empty at the first call
    bool weights = false;
  };
  Decoded decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const;
  Decoded decode(const Packed& target_in, const Encoded& source) const;
  // [.., D] -> [.., V]. An output that copies also reads the alignment [.., S] and the source, and returns V' columns.
  Variable logits(const Variable& features, const Variable& alignment = {}, const OutputSource& source = {}) const;
  Variable logits(const Decoded& decoded, const OutputSource& source) const;
  // OutputHead::writable: the outputs that each sentence can write, bool [B, V']; undefined: all of them.
  Tensor writable(const Tensor& source, const Tensor& lengths) const override {
    return output->writable(output_source(source, lengths));
  }

  // The alignment: the last layer's weights, averaged over heads.
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const override;
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const override;
  // Packed rows: segment i of a target row is the translation of segment i of its source row.
  Variable operator()(const Packed& source, const Packed& target_in) const;

  Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const override {
    return encode(source, lengths).annotations;
  }
  int64_t max_positions() const override { return position_limit(options); }
  void set_checkpoint(int64_t layers) override {
    encoder.checkpoint = decoder.checkpoint = layers;
  }  // TransformerStack

  void visit(Visitor& v) override {
    v.child("source_embedding", source_embedding);
    v.child("target_embedding", target_embedding);
    v.child("encoder", encoder);
    v.child("decoder", decoder);
    v.child("output", *output);
  }
  Options options;
  TokenEmbedding source_embedding, target_embedding;
  TransformerStack encoder, decoder;
  std::unique_ptr<OutputHead> output;
};

// The alignment: the mean of the weights over the heads, [B, H, T, S] -> [B, T, S]
Variable alignment_of(const Variable& weights);
// The output layer of a transformer. Its initial weights give logits of size about 1; if tied, its weight is that of
// `words`.
Linear output_layer(const TransformerOptions& options, const Embedding& words, bool tied, Generator& rng);
// ValueError for an output that copies: a model of this name has no source to copy from.
void require_no_copies(const char* model, const TransformerOptions& options);

}  // namespace heed::nn
