// Transformers as a search sees them, with a cache: a step computes one word. The keys and values of the words before
// it are kept, since no later word changes them, and those of the source are projected once a sentence.
//
//   without    every step runs over all words so far: for T words T^2 / 2 through all layers
//   with       T words through all layers; only the weights of attention still grow with T
//
// The words are the same, and so are the bits of their probabilities where the kernels sum in one order. R rows, S
// source words, V vocabulary.
#pragma once

#include "autograd/ops_matmul.h"
#include "nn/decode/search.h"
#include "nn/transformer/language_model.h"

namespace heed::nn {

class TransformerSearch final : public SearchModel {
 public:
  TransformerSearch(const Transformer& model, const Tensor& source, const Tensor& lengths);  // [R, S] and [R] i64
  int64_t rows() const override { return source_of_row_.size(0); }
  Tensor next(const Tensor& tokens) override;
  void keep(const Tensor& rows) override;
  Tensor weights() const override { return weights_; }  // the last layer's, the mean over heads

 private:
  PackedWeights packed_;
  const Transformer& model_;
  Transformer::Encoded source_;
  std::vector<LayerCache> caches_;
  Tensor weights_;
  Tensor source_of_row_;  // [R] i64: hypotheses of one sentence share its keys and values
};

// Continues a prompt. The searches begin with <s>: it stands in the place of the prompt's last word, which they do not
// know; the words before it are read at once. An empty prompt begins with <s> itself.
class LanguageModelSearch final : public SearchModel {
 public:
  // A prompt for each row. Those that are shorter than the longest are padded on the left, so that all rows write their
  // next word at once: each gets what it would get alone.
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
