// Differential attention (Ye et al., "Differential Transformer", ICLR 2025, eqs. 1 to 3): each head takes the
// difference of two attention maps. Weight that both maps put on irrelevant keys is noise, and it cancels.
//
//   [q1; q2] = q,  [k1; k2] = k                      halves of a head: K/2 entries each
//   w_ts = softmax(score(q1, k1)) - lambda softmax(score(q2, k2))       rows sum to 1 - lambda; weights may be negative
//   c_t  = (1 - lambda_init) rms_norm(sum_s w_ts v_s)                   of each head by itself, one weight [V] for all
//
//   lambda      = exp(lq1 . lk1) - exp(lq2 . lk2) + lambda_init         lq1, lk1, lq2, lk2 [K/2], N(0, 0.1^2) at first
//   lambda_init = 0.8 - 0.6 exp(-0.3 (l - 1))                           l the layer: .2, .355509, .470713, ..
//
// The setting `layer` is l. With the default, 0, l is the number of the layer in its TransformerStack, counted from 1,
// or 1 outside of a stack.
//
// The score compares vectors of width K/2, so scaled_dot divides by sqrt(K/2). Because of the norm, the size of
// 1 - lambda does not matter for the output. The factor 1 - lambda_init keeps gradients as large as those of ordinary
// attention. Each map is dense attention: masks, scopes, biases, groups and dropout apply to both. The parameters are
// named as in the authors' code. K, V widths of a head.
#pragma once

#include "nn/attention/evaluators/evaluator.h"
#include "nn/norm.h"

namespace heed::nn {

struct DifferentialEvaluator final : Evaluator {
  using Options = EvaluatorOptions;
  DifferentialEvaluator(const Options& options, Generator& rng);
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  bool rows_sum_to_one() const override { return false; }
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  double lambda_init() const;
  Variable lambda() const;  // a scalar
  void visit(Visitor& v) override {
    v.parameter("lambda_q1", lambda_q1);
    v.parameter("lambda_k1", lambda_k1);
    v.parameter("lambda_q2", lambda_q2);
    v.parameter("lambda_k2", lambda_k2);
    v.child("subln", norm);
  }
  Options options;
  Variable lambda_q1, lambda_k1, lambda_q2, lambda_k2;
  RMSNorm norm;

 private:
  Attended difference(const StageSet& stages, const AttentionCall& call, StageContext& context) const;
};

}  // namespace heed::nn
