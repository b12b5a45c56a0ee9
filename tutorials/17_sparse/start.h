// A wrong start: the right key has the lower score, and only the gradient can raise it.
//
//   two keys with learned scores e = (0, gap); the right one is the first
//   w = normalise(e),  loss = cross-entropy of the logits 8 w with the right key,  e <- e - 0.1 de
//
// A weight of exactly 0 has no gradient: as long as the other key has the whole weight, nothing moves. alpha-entmax
// gives the whole weight to a key that leads by 1 / (alpha - 1) or more: 1 for sparsemax (alpha 2), 2 for alpha 1.5,
// and never for softmax (alpha 1). "Growing" is the remedy that is measured: alpha starts at 1.05 and grows to 2.
#pragma once

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/normalisers/entmax.h"
#include "tensor/indexing.h"

namespace sparse {

using heed::Tensor, heed::Variable;

// alpha 1 is softmax. Number of steps until the right key has most of the weight; -1: not within 5000.
inline int64_t steps_from(double gap, double alpha, bool growing = false) {
  constexpr int64_t kMost = 5000, kGrowth = 500;
  Tensor e = Tensor::from(std::vector<double>{0, gap}, {1, 2}), right = Tensor::from(std::vector<int64_t>{0}, {1});
  for (int64_t step = 0; step <= kMost; ++step) {
    Variable scores(e, Variable::kRequiresGrad);
    const double part = std::min(1.0, static_cast<double>(step) / kGrowth);
    const double now = growing ? 1.05 + part * (alpha - 1.05) : alpha;
    Variable w =
        now == 1 ? softmax(scores, -1) : heed::nn::entmax(scores, Variable(Tensor::scalar(now, heed::DType::f64)));
    if (w.value().at({0, 0}) > 0.5) return step;
    backward(cross_entropy(w * 8.0, right));
    e = sub(e, mul(scores.grad(), 0.1));
  }
  return -1;
}

}  // namespace sparse
