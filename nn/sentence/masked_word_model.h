// An encoder that learns to predict hidden words (Devlin et al., "BERT", NAACL 2019); data/masked_words.h hides them.
//
// clang-format off
//   a = reader(text)                                     one state per word   [B, S] -> [B, S, D]
//   p(word i) = softmax(W_o norm(gelu(W a_i + b)) + c)   the N hidden words   [N, D] -> [N, V]
// clang-format on
//
// W_o is the word embedding, so a word has the same vector as an input and as an output. After this training the head
// is no longer needed, and the states are used for other tasks. Legend: B texts, S words, D width, V vocabulary.
#pragma once

#include "nn/norm.h"
#include "nn/transformer/bert.h"

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
  using Options = TransformerOptions;  // the target vocabulary is the source vocabulary
  MaskedWordModel(const Options& options, Generator& rng);
  // places [N] i64: the positions to predict, in the flattened [B, S]; kinds [B, S]: segments, undefined: all 0
  Variable operator()(const Tensor& ids, const Tensor& lengths, const Tensor& kinds, const Tensor& places) const;
  void visit(Visitor& v) {
    v.child("reader", reader);
    v.child("head", head);
  }
  Options options;
  Bert reader;
  MaskedWordHead head;
};

// The number of parameters: V D + P D + 2 D (kinds) + encoder + D^2 + D + 2 D + V; formulas: transformer_options.h.
int64_t masked_word_parameters(const TransformerOptions& options);

}  // namespace heed::nn
