// Softmax, and the losses of a classification: how probable is the right class?
#pragma once

#include "autograd/variable.h"

namespace heed {

// p_i = exp(x_i) / sum_j exp(x_j) along an axis        dx = p (dy - sum p dy)         saves p
// A row that is all -inf (fully masked) gives zeros, not NaN, and its gradient is zero. Scores of +inf (they
// overflowed) share the weight of their row equally, and the gradient is that of the formula at these weights.
Variable softmax(const Variable& x, int64_t axis = -1);
// x_i - log sum_j exp(x_j)                             dx = dy - p sum dy             saves log p
Variable log_softmax(const Variable& x, int64_t axis = -1);

enum class Reduction { mean, sum, none };
struct CrossEntropyOptions {
  double label_smoothing = 0;   // e, in [0, 1)                               (Szegedy et al., CVPR 2016, section 7)
  int64_t ignore_index = -100;  // targets with this value count for nothing
  Reduction reduction = Reduction::mean;
  Tensor weight = {};  // w [V], of the logits' type: how much each class counts; undefined: 1
};
// loss_r = -sum_v q_rv log softmax(x_r)_v,   q_rv = w_v ((1 - e) t_rv + e / V)
//
// logits x [.., V]. The targets are classes, [..] of i64 in [0, V), and t_r is 1 at the class of row r and 0 elsewhere;
// or they are the distributions t themselves, [.., V] of x's type, which are constants and need not sum to 1. The
// result is one loss per row [..], or their sum, or their mean as PyTorch defines it: with classes, the sum divided by
// the total weight of the targets that are not ignored (without weights: by their number); with distributions, by the
// number of rows. If that is 0, the mean and its gradient are 0, not 0/0. Where q = 0 a logit may be -inf.
//
// dx_r = (softmax(x_r) sum_v q_rv - q_r) dloss_r: the exponentials never leave the kernel, so nothing overflows, and
// logits of any size keep their digits.                                     saves x, the targets and the weights
Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options = {});
// The same composed of public operations. Read this one first; the fused one is tested against it.
Variable cross_entropy_composed(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

struct NllOptions {
  int64_t ignore_index = -100;            // targets with this value count for nothing
  Reduction reduction = Reduction::mean;  // mean over the targets that count; 0 if none does
};
// -log_p[.., target]    log_p [.., V], targets [..] i64 in [0, V) -> [] or, with none, [..]
// dlog_p = -dy at the target, 0 elsewhere
Variable nll_loss(const Variable& log_p, const Tensor& targets, const NllOptions& options = {});

}  // namespace heed
