// One vector a sentence, from any encoder that gives one annotation a word:
//
//   annotate(ids, lengths) -> [B, S, D],    pooled to [B, D] by a name of nn/pooling/pool.h,    a row a sentence [N, D]
//
// Sentences of like length share a batch. Neither its size nor padding changes a bit of a vector, as no product does
// (tensor/matmul.h). A sentence without tokens is a row of zeros. N sentences, B of a batch, S tokens, D width.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// cls, lasttoken, max, mean, mean_sqrt_len_tokens, weightedmean: those of sentence-transformers
const std::vector<std::string>& sentence_poolings();

struct SentenceVectorOptions {
  std::string pooling = "mean";
  bool normalize = false;  // to length 1; zeros stay
  int64_t batch_size = 64;
};

struct Annotations {
  Variable x;         // [B, S, D]
  Tensor words = {};  // bool [B, S], false for padding; undefined: all
};
using Annotate = std::function<Annotations(const Tensor& ids, const Tensor& lengths)>;  // [B, S] i64, [B] i64

// width: D, of the rows where no sentence has a token. Without a graph; f32.
Tensor sentence_vectors(const Annotate& annotate, int64_t width, const std::vector<std::vector<int64_t>>& sentences,
                        const SentenceVectorOptions& options = {});

}  // namespace heed::nn
