// Softmax and the losses on its logits.
#pragma once

#include "autograd/variable.h"

namespace heed {

// p_i = exp(x_i) / sum_j exp(x_j) along an axis        dx = p (dy - sum p dy)         saves p
// A row of -inf only gives zeros and the gradient zero: attention over nothing reads nothing.
Variable softmax(const Variable& x, int64_t axis = -1);
// x_i - log sum_j exp(x_j)                             dx = dy - p sum dy             saves log p
Variable log_softmax(const Variable& x, int64_t axis = -1);

enum class Reduction { mean, sum, none };
struct CrossEntropyOptions {
  double label_smoothing = 0;   // e: the target distribution is (1 - e) one-hot + e / V   (Szegedy et al., CVPR 2016)
  int64_t ignore_index = -100;  // targets with this value count for nothing
  Reduction reduction = Reduction::mean;  // mean over the targets that count
};
// -sum_v q_v log softmax(logits)_v     logits [.., V], targets [..] i64 in [0, V) -> [] or, with none, [..]
// dlogits = (p - q) dy: the exponentials never leave the kernel, so nothing overflows.     saves logits
// With nothing left to count, mean is 0 (and its gradient 0), not 0/0.
Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options = {});
// The same from public operations: what to read first, and the twin that the fused one is tested against.
Variable cross_entropy_composed(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

}  // namespace heed
