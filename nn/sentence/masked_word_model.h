// An encoder that learns to predict masked words (Devlin et al., "BERT", NAACL 2019, section 3.1, task 1).
// nn/data/masked_words.h chooses and masks them.
//
// clang-format off
//   a = reader(text)                                     the encoder outputs   [B, S] -> [B, S, D]
//   p(word i) = softmax(W_o norm(gelu(U a_i + b)) + c)   the N words to predict   [N, D] -> [N, V]
// clang-format on
//
// The paper has the softmax alone; U, gelu and norm are in the code that was published with it. W_o is the word
// embedding, so a word has the same vector as an input and as an output. After this training the head is no longer
// needed, and the encoder outputs are used for other tasks. B texts, S words, D width, V vocabulary.
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

// The number of parameters: V D + P D + kinds D + encoder + D^2 + D + 2 D + V, with P D for learned positions and V for
// an output bias; encoder: transformer_options.h.
int64_t masked_word_parameters(const TransformerOptions& options);

}  // namespace heed::nn
