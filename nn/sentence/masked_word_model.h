// A reader that learns by guessing hidden words (Devlin et al., "BERT", NAACL 2019): data/masked_words.h hides them.
//
//   a = reader(text)                                          one annotation a word               [B, S] -> [B, S, D]
//   p(word at place i) = softmax(W_o norm(gelu(W a_i + b)) + c)       at the N places asked for   [N, D] -> [N, V]
//
// W_o is the embedding of the words: what a word is when it is read and when it is guessed is one vector. After that
// training the head has done its duty, and the annotations serve other tasks. B texts, S words, D width, V vocabulary.
#pragma once

#include "nn/norm.h"
#include "nn/transformer/half_models.h"

namespace heed::nn {

struct MaskedWordHead : Module {
  using Options = TransformerOptions;
  MaskedWordHead(const Options& options, const Embedding& words, Generator& rng);
  Variable operator()(const Variable& x) const;  // [N, D] -> [N, V]
  void visit(Visitor& v) {
    v.child("dense", dense);
    v.child("norm", norm);
    v.child("output", output);
  }
  Linear dense;
  LayerNorm norm;
  Linear output;
};

struct MaskedWordModel : Module {
  using Options = TransformerOptions;  // target_vocabulary is the source's
  MaskedWordModel(const Options& options, Generator& rng);
  // places [N] i64 in the flattened [B, S]: the words to guess; kinds [B, S], undefined: all 0
  Variable operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds, const Tensor& places) const;
  void visit(Visitor& v) {
    v.child("reader", reader);
    v.child("head", head);
  }
  Options options;
  TransformerReader reader;
  MaskedWordHead head;
};

// V D + P D + 2 D of kinds + encoder + D^2 + D + 2 D + V, by the formulas of transformer_options.h.
int64_t masked_word_parameters(const TransformerOptions& options);

}  // namespace heed::nn
