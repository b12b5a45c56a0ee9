// A transformer with one half left out (transformer.h; the options are the same, transformer_options.h).
//
//   TransformerReader          encoder only (Devlin et al., BERT, NAACL 2019): every word sees every word
//     annotations = encoder(embed(ids))                                [B, S] -> [B, S, D]
//   TransformerLanguageModel   decoder only (Liu et al., ICLR 2018; Radford et al., GPT, 2018): every word sees those
//                              before it
//     p(next) = softmax(W_o decoder(embed(ids)) + b)                   [B, T] -> [B, T, V]
//
// The decoder of a language model is the encoder's layers under a causal mask: what a decoder has beside that is the
// look at a source, and here is none. B batch, S, T words, D width, V vocabulary.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct TransformerReader : Module {
  using Options = TransformerOptions;
  TransformerReader(const Options& options, Generator& rng);
  // lengths [B] i64; kinds [B, S] i64 below options.token_types, undefined: all 0
  Variable operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds = {}) const;
  Variable operator()(const Packed& text) const;
  void visit(Visitor& v) {
    v.child("embedding", embedding);
    v.child("encoder", encoder);
  }
  Options options;
  TokenEmbedding embedding;
  TransformerStack encoder;
};

struct TransformerLanguageModel : Module {
  using Options = TransformerOptions;
  TransformerLanguageModel(const Options& options, Generator& rng);
  // Rows padded behind their ends need no lengths: no word looks there. With caches, `ids` continues what is in them.
  // `padding` [B] i64: the number of words before the first of each row that are padding, counted from the beginning of
  // the sequence and not of `ids`; undefined: none.
  Variable operator()(const Tensor& ids, std::vector<LayerCache>* caches = nullptr, const Tensor& padding = {}) const;
  Variable operator()(const Packed& text) const;
  void visit(Visitor& v) {
    v.child("embedding", embedding);
    v.child("decoder", decoder);
    v.child("output", output);
  }
  Options options;
  TokenEmbedding embedding;
  TransformerStack decoder;
  Linear output;
};

}  // namespace heed::nn
