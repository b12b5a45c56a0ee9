// The language model of GPT: the decoder of a transformer alone (Liu et al., ICLR 2018; Radford et al., GPT, 2018).
// Every word attends to itself and the words before it.
//
//   x        = embed(ids) + position                                             [B, T, D]
//   N layers:  x <- norm(x + self-attention(x)), x <- norm(x + feed-forward(x))    TransformerLayer, causal
//   p(next)  = softmax(W_o x + b)                                                [B, T, V]
//
// The decoder consists of encoder layers with a causal mask: a transformer's decoder layer differs from these only by
// its cross-attention, and a language model has no source. The options are those of the transformer
// (transformer_options.h), with norm_first as in GPT-2. B batch, T words, D width, V vocabulary.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct LanguageModel : Module {
  using Options = TransformerOptions;
  LanguageModel(const Options& options, Generator& rng);
  // Padding at the end of a row needs no lengths, because no word attends to later words. With caches, `ids` continues
  // the words that are in them. `padding` [B] i64: the number of padding words before the first word of each row,
  // counted from the beginning of the sequence and not of `ids`; undefined: none.
  Variable operator()(const Tensor& ids, std::vector<LayerCache>* caches = nullptr, const Tensor& padding = {}) const;
  Variable operator()(const Packed& text) const;                        // packed_rows.cpp
  void set_checkpoint(int64_t layers) { decoder.checkpoint = layers; }  // stack_checkpoint.cpp
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
