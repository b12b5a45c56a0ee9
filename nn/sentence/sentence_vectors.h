// One vector per sentence, from any encoder that returns one vector per token:
//
// clang-format off
//   annotate(ids, lengths)                    -> [B, S, D]
//   pooled by a name of nn/pool.h             -> [B, D]
//   the rows of all batches                   -> [N, D]
// clang-format on
//
// Sentences of similar length share a batch. A vector has the same bits for any batch size and any padding, because
// this is true of every matrix product (tensor/matmul.h). A sentence without tokens gives a row of zeros. Legend: N
// sentences, B in a batch, S tokens, D width.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// The names that sentence-transformers uses: cls, lasttoken, max, mean, mean_sqrt_len_tokens, weightedmean.
const std::vector<std::string>& sentence_poolings();

struct SentenceVectorOptions {
  std::string pooling = "mean";
  bool normalize = false;  // scale each vector to length 1; zeros stay zero
  int64_t batch_size = 64;
};

struct Annotations {
  Variable x;         // [B, S, D]
  Tensor words = {};  // bool [B, S], false for padding; undefined: all
};
using Annotate = std::function<Annotations(const Tensor& ids, const Tensor& lengths)>;  // [B, S] i64, [B] i64

// `width` is D, which is needed if no sentence has a token. Computes without a graph, in f32.
Tensor sentence_vectors(const Annotate& annotate, int64_t width, const std::vector<std::vector<int64_t>>& sentences,
                        const SentenceVectorOptions& options = {});

}  // namespace heed::nn
