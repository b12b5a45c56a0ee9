// The variance of dot products of independent vectors, and the softmax weights that result from them.
//
//   Var(q . k) = d for d independent normal numbers each (Vaswani et al. 2017, footnote 4)
#pragma once

#include <array>

#include "tutorials/14_scores/reader.h"

namespace scores {

struct Spread {
  double variance = 0;                              // of q . k
  std::array<double, 2> entropy = {}, passed = {};  // of w = softmax(e) over 16 keys: entropy, and sum of w (1 - w);
                                                    // [0] without, [1] with the division by sqrt(d)
};
inline Spread spread_of(int64_t d, Generator& rng) {
  constexpr int64_t kRounds = 40, kBatch = 32;
  Spread out;
  double squares = 0, products = 0;
  for (int64_t i = 0; i < kRounds; ++i) {
    Tensor q = Tensor::normal({kBatch, kEntries, d}, rng), k = Tensor::normal({kBatch, kEntries, d}, rng);
    Tensor pairs = sum(mul(q, k), {-1}).to(heed::DType::f64);  // each vector is used once: the products are independent
    squares += mean(square(pairs)).item() / kRounds;
    products += mean(pairs).item() / kRounds;
    Tensor e = matmul(q, k.transpose(1, 2));
    for (size_t scaled : {size_t{0}, size_t{1}}) {
      Tensor scores = scaled ? mul(e, 1 / std::sqrt(static_cast<double>(d))) : e;
      Tensor w = exp(log_softmax_rows(scores.to(heed::DType::f64)));
      out.entropy[scaled] += entropy(scores) / kRounds;
      out.passed[scaled] += mean(sum(mul(w, sub(1, w)), {-1})).item() / kRounds;
    }
  }
  out.variance = squares - products * products;
  return out;
}

}  // namespace scores
