// The input layer of a transformer: the sum of a word's embedding, its position and (optionally) its token type.
//
//   x_t = dropout(sqrt(D) W[word_t] + position(t) + K[kind_t])         W [V, D], K [kinds, D]        x [B, T, D]
//
// (Vaswani et al., NeurIPS 2017, sections 3.4 and 3.5; the segment embeddings of Devlin et al., NAACL 2019, figure 2,
// are token types in their code and `kinds` here.) Attention alone does not depend on the order of the words; the
// position adds it. The entries of W are drawn from N(0, 1/D), so that W can also be the weight of the output layer.
// The factor sqrt(D) makes the first term as large as the position. B batch, T words, D width, V vocabulary.
#pragma once

#include <optional>

#include "nn/about.h"
#include "nn/attention/positions/embedding_position.h"
#include "nn/layers.h"
#include "nn/transformer/transformer_options.h"

namespace heed::nn {

inline constexpr About kAboutScaledTiedEmbedding{
    .names = {"H8", "scaled_tied_embedding", "tied softmax", "weight tying"},
    .formula = "x_t = sqrt(D) W[word_t] + P[t],  logits = h W^T",
    .paper = {"Press and Wolf, EACL 2017; Vaswani et al., NeurIPS 2017", 2017, 1},
    .idea =
        "The same matrix turns words into vectors and, transposed, vectors into scores of words. Word vectors are "
        "multiplied by the root of their width so that they are as large as the positions. This saves one matrix of "
        "vocabulary size, which is a large share of a small model.",
    .wrong = "Without the factor the positions are much larger than the words at the start of training.",
    .shapes = "ids [B, T], W [V, D] -> [B, T, D];  h [B, T, D] -> [B, T, V]",
    .cost = "B T D products; V D fewer parameters",
    .own = {"embedding_is_scaled", "tied_matrices_are_one"},
    .cases = "Transformer",
};

struct TokenEmbeddingOptions {
  int64_t vocabulary, width;  // V, D

  // One of TransformerOptions::positions; those that act inside attention add nothing here.
  std::string positions = default_stage(Kind::position, Role::embedding);
  int64_t max_positions = 512;  // rows of the learned table
  bool scale = true;            // multiply the embeddings by sqrt(D)
  int64_t kinds = 0;            // number of token types; 0: without
  double dropout = 0;
};
TokenEmbeddingOptions embedding_of(const TransformerOptions& options, int64_t vocabulary);

// The inputs other than the words.
struct TokenPlaces {
  int64_t first = 0;   // position of the first word
  Tensor places = {};  // [B, T] i64: a position for each word, in place of `first`
  Tensor kinds = {};   // [B, T] i64; undefined: all 0
};

struct TokenEmbedding : Module {
  using Options = TokenEmbeddingOptions;
  TokenEmbedding(const Options& options, Generator& rng);
  Variable operator()(const Tensor& ids, const TokenPlaces& where = {}) const;  // [B, T] i64 -> [B, T, D]
  void visit(Visitor& v) {
    v.child("words", words);
    if (positions) v.child("positions", *positions);
    if (kinds) v.child("kinds", *kinds);
    v.child("dropout", dropout);
  }
  Options options;
  Embedding words;
  std::unique_ptr<EmbeddingPosition> positions;
  std::optional<Embedding> kinds;
  Dropout dropout;
};

}  // namespace heed::nn
