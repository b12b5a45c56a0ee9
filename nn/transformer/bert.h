// BERT: the encoder of a transformer alone (Devlin et al., NAACL 2019). Every word attends to every word.
//
//   x = sqrt(D) W[ids] + position + K[kinds]          figure 2; kinds: the paper's segments; token_embedding.h
//   N layers:  x <- norm(x + self-attention(x))       TransformerLayer
//              x <- norm(x + feed-forward(x))
//   a = x                                             the encoder outputs               [B, S, D]
//
// (The paper has no sqrt(D): options.scale_embedding.) It learns to predict masked words, each from its encoder
// output (section 3.1; nn/sentence/masked_word_model.h). The options are those of the transformer
// (transformer_options.h). B batch, S words, D width.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct Bert : Module {
  using Options = TransformerOptions;
  Bert(const Options& options, Generator& rng);
  // ids [B, S] i64, lengths [B] i64; kinds [B, S] i64, each below options.token_types; undefined: all 0
  Variable operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds = {}) const;
  Variable operator()(const Packed& text) const;                        // packed_rows.cpp
  void set_checkpoint(int64_t layers) { encoder.checkpoint = layers; }  // stack_checkpoint.cpp
  void visit(Visitor& v) {
    v.child("embedding", embedding);
    v.child("encoder", encoder);
  }
  Options options;
  TokenEmbedding embedding;
  TransformerStack encoder;
};

}  // namespace heed::nn
