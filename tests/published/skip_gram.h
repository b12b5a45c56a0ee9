// First embeddings for the readers of documents: skip-gram with negative sampling (Mikolov et al., NIPS 2013, eq. 4),
// learned from the text of the training documents alone, without their labels. Lesson 07 derives it; this is the same
// gradient written as loops over two tables, for a text of a million words.
#pragma once

#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed::published {

struct WordVectorOptions {
  int64_t vocabulary, width;
  int64_t window = 5, negatives = 5, epochs = 5;
  double rate = 0.05, often = 1e-3;
};

// sentences of ids in [0, vocabulary) -> [vocabulary, width]; words that never occur keep small random values
Tensor learn_word_vectors(const std::vector<const std::vector<int64_t>*>& sentences, const WordVectorOptions& options,
                          Generator& rng);

}  // namespace heed::published
