// TransformerReader: the encoder of a transformer alone (Devlin et al., BERT, NAACL 2019). Every word attends to every
// word.
//
//   h = encoder(embed(ids))                              [B, S] -> [B, S, D]
//
// The options are those of the transformer (transformer_options.h). B batch, S words, D width.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct TransformerReader : Module {
  using Options = TransformerOptions;
  TransformerReader(const Options& options, Generator& rng);
  // lengths [B] i64; kinds [B, S] i64, each below options.token_types; undefined: all 0
  Variable operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds = {}) const;
  Variable operator()(const Packed& text) const;
  void set_checkpoint(int64_t layers) { encoder.checkpoint = layers; }  // see TransformerStack
  void visit(Visitor& v) {
    v.child("embedding", embedding);
    v.child("encoder", encoder);
  }
  Options options;
  TokenEmbedding embedding;
  TransformerStack encoder;
};

}  // namespace heed::nn
