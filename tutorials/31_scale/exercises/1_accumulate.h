// Exercise 31.1: a training step with gradient accumulation and clipping.
//
//   N = n_1 + .. + n_k                        the words of all micro-batches
//   g = sum_j d(s_j / N)/dw                   s_j: the sum of the losses of the n_j words of micro-batch j
//   g <- g min(1, limit / |g|)                once per step; |g| is the root of the sum of squares
//   w <- w - rate g                           once per step
//
// The result is sum_j s_j / N, the loss per word before the step. w.grad() may hold the gradient of an earlier step.
//
// Goyal et al., arXiv:1706.02677, remark 3.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace mine {

struct MicroBatch {
  heed::Tensor x, y;  // [n, D], [n]: n words
};
// The sum of the losses of the words of a micro-batch, [].
using SumLoss = std::function<heed::Variable(const heed::Variable& w, const MicroBatch&)>;

double train_step(heed::Variable& w, const std::vector<MicroBatch>& parts, const SumLoss& sum_loss, double limit,
                  double rate);

}  // namespace mine
