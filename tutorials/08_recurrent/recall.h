// Delayed recall: a symbol comes first, then distractors, then a mark at which the first symbol must be named.
//
//   C f a h C b .. e ?  ->  C        K symbols and the mark: K + 1 different inputs; T = lag + 2 steps
//     '--- lag of them
//
// Distractors are the same K symbols, so only its place tells the first one from them. An input is a row with a single
// one in it: x [B, T, K + 1]. All sequences of a batch have the same lag, so nothing is padded. A guess is right once
// in K times.
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
