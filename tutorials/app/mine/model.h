// Translators that are made of Pieces, and the recurrent one: the paper of Bahdanau et al. (nn/models/bahdanau.h), with
// every piece called where it belongs. The other one is in transformer.h.
//
//   encode   a GRU in each direction over the source words, h_1 .. h_S      s_0 = tanh(W h_1 of the backward direction)
//   step     c_t = attend(s_{t-1}, h)      s_t = GRU([y_t; c_t], s_{t-1})      o_t = [s_t; c_t; y_t]
//   logits   W_o tanh(W_r o_t), with their biases
//
// It has a Bahdanau for its parameters, with their names. Embeddings, concatenation and dropout are the library's, and
// as a Paper it is trained and decoded like every other. With the library's pieces the logits are those of the
// Bahdanau, which compare_with_library checks. The score has no bias here, as in exercise 12.1: the parameter
// attention.score.key.bias is 0 and is not trained.
#pragma once

#include "nn/data/batches.h"
#include "nn/models/bahdanau.h"
#include "tutorials/app/mine/part.h"
#include "tutorials/app/mine/pieces.h"

namespace heed::app {

// What training, greedy and beam search need of either: the functions of a paper (nn/models/paper.h).
struct Assembled : nn::EncoderDecoder {
  explicit Assembled(Pieces p) : pieces(std::move(p)) {}
  virtual nn::Encoded encode(const Tensor& source, const Tensor& lengths) const = 0;
  virtual Variable embed(const Tensor& words) const = 0;
  virtual nn::Step step(const Variable& y, const nn::DecoderState& before, const nn::Source& source) const = 0;
  virtual Variable logits(const Variable& features) const = 0;
  virtual std::vector<NamedVariable> trained() const = 0;  // all parameters but those that stay 0
  virtual int64_t target_words() const = 0;                // V, the special tokens included
  Pieces pieces;
};

struct AssembledRecurrent final : nn::Paper<AssembledRecurrent, Assembled> {
  AssembledRecurrent(const nn::Bahdanau::Options& options, Pieces pieces, Generator& rng);

  nn::Encoded encode(const Tensor& source, const Tensor& lengths) const override;
  Variable embed(const Tensor& words) const override { return model.embed(words); }
  nn::Step step(const Variable& y, const nn::DecoderState& before, const nn::Source& source) const override;
  Variable logits(const Variable& o) const override;

  void visit(nn::Visitor& v) override { v.child("", model); }
  std::vector<NamedVariable> trained() const override;  // all but the bias of the score
  int64_t target_words() const override { return model.options.target.vocabulary; }
  nn::Bahdanau model;

 private:
  Variable read(const nn::GRUCell& cell, const Variable& x, const Tensor& mask, bool backwards) const;
};

// Batches for training: sentences of the data, with the pieces' teacher forcing.
data::Batch forced_batch(const Pieces& pieces, const std::vector<data::EncodedPair>& pairs,
                         const std::vector<int64_t>& members);

// A small translator of these pieces beside the library's with the same parameters, in f64: the log-probabilities of
// all words, and the gradients of the loss.
void compare_with_library(const Pieces& pieces, Comparison& comparison);
// The same of any model of pieces and the library's.
void compare_models(const Assembled& ours, nn::EncoderDecoder& library, Comparison& comparison);

}  // namespace heed::app
