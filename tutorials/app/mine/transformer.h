// The transformer that is made of Pieces: nn/transformer/transformer.h, norm first, with every piece called where it
// belongs.
//
//   encoder   x = sqrt(D) E[word] + P            m = encoder(x)                                      [B, S, D]
//   decoder   x = sqrt(D) E'[word] + P           layer after layer: what was written, m, each word alone
//   logits    norm(x) W_o^T + b                                                                      [B, T, V]
//
// It has a Transformer for its parameters, with their names, so that the library translates with what it has learned.
// Embeddings, dropout of embedded words (there is no other) and the last product are the library's. The projections of
// attention have no biases, as in exercise 22.3: those parameters are 0 and are not trained. A step of a search
// computes all words so far again: it has no cache.
#pragma once

#include "nn/transformer/transformer.h"
#include "tutorials/app/mine/model.h"

namespace heed::app {

struct AssembledTransformer final : nn::Paper<AssembledTransformer, Assembled> {
  AssembledTransformer(const nn::Transformer::Options& options, Pieces pieces, Generator& rng);

  nn::Encoded encode(const Tensor& source, const Tensor& lengths) const override;
  Variable embed(const Tensor& words) const override;  // [..] -> [.., D], without a position
  nn::Step step(const Variable& y, const nn::DecoderState& before, const nn::Source& source) const override;
  Variable logits(const Variable& features) const override;
  Variable decoder(const Variable& y, const nn::Source& source) const;  // embedded words [B, T, D] -> [B, T, D]

  void visit(nn::Visitor& v) override { v.child("", model); }
  std::vector<NamedVariable> trained() const override;  // all but the biases of attention
  int64_t target_words() const override { return model.options.target_vocabulary; }
  nn::Transformer model;
};

// All words of the true translation at once, for training (nn/models/paper.h).
std::optional<nn::Decoded> at_once(const AssembledTransformer& model, const Variable& y, const nn::Source& source,
                                   nn::DecoderState& state, bool weights);

// Options of the transformers here: norm first, no biases that a piece lacks, no dropout but that of embedded words.
nn::TransformerOptions transformer_options(int64_t model, int64_t heads, int64_t inner, int64_t layers);

// The matrices of an attention as pieces take them, and a norm, a feed-forward network; all with their gradients.
HeadWeights weights_of(const nn::MultiHeadAttention& attention);
mine::Affine affine_of(const nn::AnyNorm& norm);
mine::Affine affine_of(const nn::Linear& layer);
void remove_attention_biases(std::vector<NamedVariable> all);  // sets them to 0
std::vector<NamedVariable> without_attention_biases(std::vector<NamedVariable> all);
// x + the rows 0 .. T - 1 of the positions
Variable with_positions(const Pieces& pieces, const Variable& x);

// As compare_with_library (model.h).
void compare_transformers(const Pieces& pieces, Comparison& comparison);

}  // namespace heed::app
