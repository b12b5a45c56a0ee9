// The language model of GPT: the decoder of a transformer alone (Liu et al., ICLR 2018; Radford et al., GPT, 2018).
// Every word attends to itself and the words before it.
//
//   x = sqrt(D) W[ids] + position                     token_embedding.h                  [B, T, D]
//   N layers:  x <- norm(x + self-attention(x))       causal; TransformerLayer without cross-attention
//              x <- norm(x + feed-forward(x))
//   p(next word) = softmax(W_o x + b)                 W_o is W unless options.tie is none [B, T, V]
//
// (Radford et al., eq. 2, which has no sqrt(D) and no b: options.scale_embedding, output_bias. With norm_first the
// layers are those of GPT-2.) The options are those of the transformer (transformer_options.h). B batch, T words, D
// width, V vocabulary.
#pragma once

#include "autograd/ops_matmul.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {

struct LanguageModel : Module {
  using Options = TransformerOptions;
  LanguageModel(const Options& options, Generator& rng);
  // ids [B, T] i64 -> logits [B, T, V]. Padding at the end of a row needs no lengths, because no word attends to later
  // words. With caches, `ids` are the words after those in them. `padding` [B] i64: the number of padding words at
  // the beginning of each row, the same in all calls with these caches; undefined: none.
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

// Continues a prompt, with a cache as in transformer_search.cpp. The search gives <s> as the first word; in its place
// the model reads the last word of the prompt. The words before that are read at once, in the constructor. R rows.
class LanguageModelSearch final : public SearchModel {
 public:
  // A prompt for each row; an empty one is <s>. Shorter ones are padded on the left, so that all rows predict their
  // next word in the same step: each gets what it would get alone.
  LanguageModelSearch(const LanguageModel& model, const std::vector<std::vector<int64_t>>& prompts);
  int64_t rows() const override { return rows_; }
  Tensor next(const Tensor& tokens) override;
  void keep(const Tensor& rows) override;

 private:
  PackedWeights packed_;
  const LanguageModel& model_;
  std::vector<LayerCache> caches_;
  Tensor first_;    // [R] i64: the prompts' last words, until the first step has read them
  Tensor padding_;  // [R] i64: words of padding before each prompt; undefined where all have one length
  int64_t rows_;
};

}  // namespace heed::nn
