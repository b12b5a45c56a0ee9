// Losses: how far a prediction x lies from its target t. (The cross-entropy of logits is in ops_softmax.h.)
//
//   loss_i = L(x_i, t_i), then their mean, their sum, or, with Reduction::none, all of them
//
// x and t have one shape; nothing broadcasts, since [N] against [N, 1] would quietly compare all with all. Gradients
// flow to x and, where it wants one, to t. On each: L, then dL/dx. A few FLOPs an element; saved: what the formula of
// the gradient names. The mean over nothing is an error.
#pragma once

#include "autograd/ops_softmax.h"
#include "autograd/variable.h"

namespace heed {

// (x - t)^2            2 (x - t)
Variable mse_loss(const Variable& x, const Variable& target, Reduction reduction = Reduction::mean);
// |x - t|              sign(x - t)              0 at x = t, where it is not smooth
Variable l1_loss(const Variable& x, const Variable& target, Reduction reduction = Reduction::mean);

struct HuberOptions {
  double delta = 1;  // positive: where the parabola becomes a line
  Reduction reduction = Reduction::mean;
};
// d = x - t:   d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2)          (Huber, Ann. Math. Stat. 1964)
// min(max(d, -delta), delta)                    once differentiable at |d| = delta
Variable huber_loss(const Variable& x, const Variable& target, const HuberOptions& options = {});

struct SmoothL1Options {
  double beta = 1;  // not negative; 0 is the l1_loss
  Reduction reduction = Reduction::mean;
};
// huber_loss with delta = beta, divided by beta: slope 1 far out                (Girshick, ICCV 2015, eq. 3)
Variable smooth_l1_loss(const Variable& x, const Variable& target, const SmoothL1Options& options = {});

// -(t log x + (1 - t) log(1 - x)) of probabilities x in [0, 1]; each logarithm stops at -100, as in PyTorch
// (x - t) / max(x (1 - x), 1e-12)               not smooth at 0 and 1
Variable bce_loss(const Variable& x, const Variable& target, Reduction reduction = Reduction::mean);

struct BceLogitsOptions {
  Tensor pos_weight = {};  // w, broadcast to x: how much a target of 1 counts; undefined: 1
  Reduction reduction = Reduction::mean;
};
// The same of p = sigmoid(x), without ever forming p: with s = log(1 + e^-x) = max(-x, 0) + log(1 + e^-|x|) and
// c = 1 + (w - 1) t
// (1 - t) x + c s       c sigmoid(x) - w t      smooth; nothing overflows
Variable bce_with_logits_loss(const Variable& x, const Variable& target, const BceLogitsOptions& options = {});

struct KlDivOptions {
  bool log_target = false;  // the target is given as its logarithm
  // mean: the sum divided by the size of the first axis, which is the mean of the divergences (PyTorch: batchmean).
  Reduction reduction = Reduction::mean;
};
// KL(t || q) from x = log q:  t (log t - x), 0 where t = 0; with log_target e^t (t - x)      (Kullback, Leibler 1951)
// -t, or -e^t           towards the target log t + 1 - x, infinite at 0, or e^t (t - x + 1)
Variable kl_div(const Variable& x, const Variable& target, const KlDivOptions& options = {});

struct NllOptions {
  int64_t ignore_index = -100;            // targets with this value count for nothing
  Reduction reduction = Reduction::mean;  // mean over the targets that count; 0 if none does
};
// -log_p[.., target]    log_p [.., V], targets [..] i64 in [0, V) -> [] or, with none, [..]
// -1 at the target, 0 elsewhere
Variable nll_loss(const Variable& log_p, const Tensor& targets, const NllOptions& options = {});

}  // namespace heed
