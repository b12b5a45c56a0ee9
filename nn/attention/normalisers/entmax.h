// alpha-entmax (Peters, Niculae and Martins, "Sparse sequence-to-sequence models", ACL 2019): a family of normalisers
// that leads from softmax (alpha = 1) to sparsemax (alpha = 2). Between them weights can be exactly 0, and become 0
// without a jump in their slope.
//
//   w_s = max((alpha - 1) e_s - tau, 0)^(1 / (alpha - 1)),     tau such that they sum to 1
//
// For alpha = 1.5 the weights are squares, and tau is the root of a quadratic equation: exact, after a sort of the
// scores e / 2. For any other alpha, tau is found by bisection. The gradient, with p_s = w_s^(2 - alpha) / sum_r
// w_r^(2 - alpha) over the keys of positive weight:
//
//   de_s = w_s^(2 - alpha) (dw_s - sum_r p_r dw_r)
//   dalpha = sum_s dw_s ((w_s - p_s) / (alpha - 1)^2 - (w_s ln w_s - p_s sum_r w_r ln w_r) / (alpha - 1))
//
// The second line (Correia, Niculae and Martins, "Adaptively sparse transformers", EMNLP 2019, proposition 1) lets each
// head learn its own alpha, so that some heads become sparse and others stay spread out. A learned alpha is 1.01 + 0.99
// sigmoid(raw), which stays in (1.01, 2): near 1 the gradient is a quotient of two tiny numbers.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

// Along the last axis. alpha > 1 has any shape that broadcasts to z without its last axis: [] or [.., 1]. A row of -inf
// gives zeros; a row with a NaN, or with +inf, gives NaN.
Variable entmax(const Variable& z, const Variable& alpha);

struct EntmaxNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  EntmaxNormaliser(const Options& options, Generator& rng);  // ValueError for a learned alpha outside (1.01, 2)
  Variable weights(const Variable& scores, StageContext&) const override;
  Variable alpha() const;  // [H, 1, 1], the one that is learned
  void visit(Visitor& v) override { v.parameter("raw_alpha", raw_alpha); }
  Options options;
  Variable raw_alpha;  // [H, 1, 1]; undefined if alpha is fixed
};

}  // namespace heed::nn
