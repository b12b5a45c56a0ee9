// A table that is asked with a vector: hard, the entry whose key fits best; soft, a mixture of all entries.
//
//   e = Q K^T                        scores     Q [T, 4] questions, K [S, 4] keys -> [T, S]
//   hard = v[argmax e]                          v [S, D] values -> [T, D]
//   w = softmax(e / t), soft = w v              t: the temperature
//
//   |soft - hard| <= (S - 1) (max v - min v) exp(-lead / t)      lead: from the best score to the second best
//
// The bound: soft - hard = sum of w_i (v_i - v_best) over the S - 1 others, and w_i <= exp(-(e_best - e_i) / t), as the
// softmax divides by at least exp(e_best / t).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace lookup {

using heed::Tensor, heed::Variable;

struct Table {
  std::vector<std::string> words;
  Tensor keys, values;  // [S, 4], [S, 1]
};
// The four numbers: is it eaten, is it round, is it long, has it legs?
inline Table by_hand() {
  return {{"apple", "banana", "chair"},
          Tensor::from(std::vector<double>{3, 3, 0, 0,  //
                                           3, 0, 3, 0,  //
                                           0, 0, 0, 3},
                       {3, 4}),
          Tensor::from(std::vector<double>{10, 5, 2}, {3, 1})};
}
// "fruit" is eaten, and slightly round: one thinks of an apple a little sooner than of a banana.
inline Tensor fruit_by_hand() { return Tensor::from(std::vector<double>{3, std::log(1.5) / 3, 0, 0}, {1, 4}); }

inline Variable dot_scores(const Variable& queries, const Variable& keys) {  // [T, 4], [S, 4] -> [T, S]
  return matmul(queries, transpose(keys, 0, 1));
}

inline Tensor hard(const Tensor& scores, const Tensor& values) { return index_select(values, argmax(scores, 1)); }

struct Answer {
  Variable values, weights;  // [T, D], [T, S]
};
inline Answer soft(const Variable& scores, const Variable& values, double temperature = 1, const Tensor& allowed = {}) {
  heed::nn::Attended seen = heed::nn::attend(unsqueeze(scores * (1 / temperature), 0), unsqueeze(values, 0), allowed);
  return {squeeze(seen.context, 0), squeeze(seen.weights, 0)};
}

// Of one row of scores [1, S] and values [S, 1].
inline double bound(const Tensor& scores, const Tensor& values, double temperature) {
  std::vector<double> e = scores.to_vector(), v = values.to_vector();
  std::sort(e.begin(), e.end(), std::greater<>());
  auto [low, high] = std::minmax_element(v.begin(), v.end());
  return static_cast<double>(e.size() - 1) * (*high - *low) * std::exp(-(e[0] - e[1]) / temperature);
}

// The largest of |soft - hard| over its bound, in random tables of 3 to 20 keys.
inline double worst_of_bound(const std::vector<double>& temperatures, int64_t tables, heed::Generator& rng) {
  constexpr double kRounding = 1e-12;
  double worst = 0;
  for (int64_t i = 0; i < tables; ++i) {
    int64_t S = 3 + rng.below(18);
    Tensor scores = Tensor::normal({1, S}, rng, 0, 3, heed::DType::f64),
           values = Tensor::normal({S, 1}, rng, 0, 5, heed::DType::f64);
    for (double t : temperatures) {
      double apart = std::abs(soft(scores, values, t).values.item() - hard(scores, values).item());
      worst = std::max(worst, apart / (bound(scores, values, t) + kRounding));
    }
  }
  return worst;
}

}  // namespace lookup
