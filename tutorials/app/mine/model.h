// The translator that is made of Pieces: a Seq2Seq (nn/models/seq2seq.h) that computes the same from the same
// parameters, with every piece called where it belongs.
//
//   encode   a GRU in each direction over the source words, h_1 .. h_S      s_0 = tanh(W h_1 of the backward direction)
//   step     c_t = attend(s_{t-1}, h)      s_t = GRU([y_t; c_t], s_{t-1})      features [s_t; c_t; y_t]
//   logits   W_o tanh(W_r features), with their biases
//
// Bahdanau, Cho and Bengio, ICLR 2015. Embeddings, concatenation and dropout are the library's. Every function that
// takes a Seq2Seq decodes this one too: the library's searches and those of exercises 10.2 and 13.2. With the library's
// pieces the logits are those of Seq2Seq, which compare_with_library checks. The score has no bias here, as in exercise
// 12.1: the parameter attention.score.key.bias is 0 and is not trained.
#pragma once

#include "nn/data/batches.h"
#include "tutorials/app/mine/part.h"
#include "tutorials/app/mine/pieces.h"

namespace heed::app {

struct Assembled final : nn::Seq2Seq {
  Assembled(const nn::Seq2SeqOptions& options, Pieces pieces, Generator& rng);

  Encoded encode(const Tensor& source, const Tensor& lengths) const override;
  Step step(const Variable& embedded, const nn::DecoderState& state, const nn::Memory& memory) const override;
  Variable logits(const Variable& features, const Variable& alignment = {},
                  const nn::OutputSource& source = {}) const override;
  Variable teacher_forced(const data::Batch& batch) const;  // -> logits [B, T, V]

  std::vector<NamedVariable> trained() const;  // all parameters but the bias of the score
  Pieces pieces;

 private:
  Variable read(const nn::GRUCell& cell, const Variable& x, const Tensor& mask, bool backwards) const;
};

// Batches for training: sentences of the data, with the pieces' teacher forcing.
data::Batch forced_batch(const Pieces& pieces, const std::vector<data::EncodedPair>& pairs,
                         const std::vector<int64_t>& members);

// A small translator of these pieces beside the library's with the same parameters, in f64: the log-probabilities of
// all words, and the gradients of the loss.
void compare_with_library(const Pieces& pieces, Comparison& comparison);

}  // namespace heed::app
