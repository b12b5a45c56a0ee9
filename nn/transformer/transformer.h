// The transformer (Vaswani et al., "Attention is all you need", NeurIPS 2017): from one sequence to another without
// recurrence, all words at once. What goes from word to word goes through attention alone.
//
//   m      = encoder(embed(source))                            annotations, every word sees every word       [B, S, D]
//   h      = decoder(embed(<s> y_1 .. y_{t-1}), m)             every word sees those before it, and m        [B, T, D]
//   p(y_t) = softmax(W_o h_t + b)                                                                            [B, T, V]
//
// Three masks make it so: padding of the source (no word looks at it), the causal one (no word looks ahead, so that all
// steps can be trained at once), and for packed rows that of the sentences. Padding of the target needs none: it stands
// behind the words, and no word looks there.
//
// Names as in nn.Transformer: encoder.layers.0.self_attn.in_proj_weight, .., decoder.norm.bias; around it
// source_embedding, target_embedding, output. Tied matrices stand under each of their names. The models that are one
// half of this are in nn/transformer/half_models.h. B batch, S source words, T target words, D width, V vocabulary.
#pragma once

#include "nn/transformer/packing.h"
#include "nn/transformer/token_embedding.h"

namespace heed::nn {

struct Transformer : Module {
  using Options = TransformerOptions;
  Transformer(const Options& options, Generator& rng);

  struct Encoded {
    Variable annotations;  // m [B, S, D]
    Tensor words = {};     // bool [B, S]; undefined where the segments say it
    Tensor segments = {};  // [B, S] i64 of a packed source
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64
  Encoded encode(const Packed& source) const;

  struct Decoded {
    Variable features;  // h [B, T, D]
    Variable weights;   // [B, H, T, S], the last layer's look at the source; if they were wanted
  };
  struct Decoding {
    std::vector<LayerCache>* caches = nullptr;  // `target_in` continues their words; the first call may bring none
    bool weights = false;
  };
  Decoded decode(const Tensor& target_in, const Encoded& source, const Decoding& how) const;
  Decoded decode(const Packed& target_in, const Encoded& source) const;
  Variable logits(const Variable& features) const;  // [.., D] -> [.., V]

  // Teacher forcing: the decoder is fed the true words `target_in` [B, T] (<s> first). Returns logits [B, T, V];
  // `weights`, if given, receives the alignment [B, T, S]: the last layer's, the mean over heads.
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Tensor* weights = nullptr) const;
  // Segment i of a target row belongs to segment i of its source row.
  Variable operator()(const Packed& source, const Packed& target_in) const;

  void visit(Visitor& v) {
    v.child("source_embedding", source_embedding);
    v.child("target_embedding", target_embedding);
    v.child("encoder", encoder);
    v.child("decoder", decoder);
    v.child("output", output);
  }
  Options options;
  TokenEmbedding source_embedding, target_embedding;
  TransformerStack encoder, decoder;
  Linear output;
};

// The mean over heads, as an alignment: [B, H, T, S] -> [B, T, S]
Tensor alignment_of(const Variable& weights);
// The output layer of a transformer: drawn so that logits begin near size 1, its weight that of `words` where they are
// tied.
Linear output_layer(const TransformerOptions& options, const Embedding& words, bool tied, Generator& rng);

}  // namespace heed::nn
