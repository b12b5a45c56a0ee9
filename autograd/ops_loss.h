// Losses: how far a prediction x lies from its target t. (The losses of a classification are in ops_softmax.h.)
//
//   loss_i = L(x_i, t_i), then their mean, their sum, or, with Reduction::none, all of them
//
// x and t must have the same shape: if they broadcast, [N] against [N, 1] would silently compare every x with every t.
// Both get gradients. Each declaration below gives L, then dL/dx. Saves what the formula of the gradient reads.
// ShapeError unless x and t have one shape; ValueError for the mean of no elements.
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
// (x - t) / max(x (1 - x), 1e-12)               dL/dt = log(1 - x) - log x; not smooth at x = 0 and 1
Variable bce_loss(const Variable& x, const Variable& target, Reduction reduction = Reduction::mean);

struct BceLogitsOptions {
  Tensor pos_weight = {};  // w, broadcast to x: how much a target of 1 counts; undefined: 1
  Reduction reduction = Reduction::mean;
};
// The same of p = sigmoid(x), computed without p: with s(x) = log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
// (1 - t) s(x) + w t s(-x)                      (1 - t) sigmoid(x) - w t sigmoid(-x)
// Smooth. Nothing overflows, and since no term is negative, the small loss of a good guess keeps its digits.
Variable bce_with_logits_loss(const Variable& x, const Variable& target, const BceLogitsOptions& options = {});

struct KlDivOptions {
  bool log_target = false;  // the target is given as its logarithm
  // mean: the sum divided by the size of the first axis, which is the mean of the divergences (PyTorch: batchmean).
  Reduction reduction = Reduction::mean;
};
// KL(t || q) from x = log q:  t (log t - x), with log_target e^t (t - x)                     (Kullback, Leibler 1951)
// -t, or with log_target -e^t      dL/dt = log t + 1 - x (infinite at t = 0), or with log_target e^t (t - x + 1)
// Where the probability t (or e^t) is 0, L is 0, even if q is 0 there too.
Variable kl_div(const Variable& x, const Variable& target, const KlDivOptions& options = {});

}  // namespace heed
