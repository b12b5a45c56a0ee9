// Delayed recall: first a symbol, then distractors, then a question mark, at which the first symbol must be predicted.
//
//   C f a h C b .. e ?  ->  C        K symbols and the mark: K + 1 different inputs; T = lag + 2 steps
//     '--- lag distractors
//
// The distractors are drawn from the same K symbols, so only its position distinguishes the first one. An input is a
// one-hot row: x [B, T, K + 1]. All sequences of a batch have the same lag, so there is no padding. Guessing is right
// in one of K cases.
#pragma once

#include "tensor/indexing.h"
#include "tensor/random.h"

namespace recurrent {

struct Recall {
  heed::Tensor x, y;  // [B, T, K + 1] f32, [B] i64: the first symbol, 0 .. K - 1
};

inline constexpr int64_t kSymbols = 8;

inline Recall make_recall(int64_t lag, int64_t batch, heed::Generator& rng) {
  std::vector<int64_t> symbols, answers;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t t = 0; t <= lag; ++t) symbols.push_back(rng.below(kSymbols));
    answers.push_back(symbols[symbols.size() - static_cast<size_t>(lag) - 1]);
    symbols.push_back(kSymbols);  // the mark
  }
  return {one_hot(heed::Tensor::from(symbols, {batch, lag + 2}), kSymbols + 1), heed::Tensor::from(answers, {batch})};
}

}  // namespace recurrent
