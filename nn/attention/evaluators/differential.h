// Differential attention ("Differential Transformer", eqs. 1 to 3): [q1; q2] = q, [k1; k2] = k are halves of a head,
// K/2 entries each. The rows of w sum to 1 - lambda; the norm is of each head by itself, with one weight [V] for all.
//
//   lambda      = exp(lq1 . lk1) - exp(lq2 . lk2) + lambda_init         lq1, lk1, lq2, lk2 [K/2], N(0, 0.1^2) at first
//   lambda_init = 0.8 - 0.6 exp(-0.3 (l - 1))                           l the layer: .2, .355509, .470713, ..
//
// The setting `layer` is l. With the default, 0, l is the number of the layer in its TransformerStack, counted from 1,
// or 1 outside of a stack. Because of the norm, the size of 1 - lambda does not matter for the output. The factor 1 -
// lambda_init keeps gradients as large as those of ordinary attention. Each map is dense attention: masks, scopes,
// biases, groups and dropout apply to both. A position that rotates pairs of entries rotates q1, q2, k1 and k2 each, as
// heads of width K/2, before the scores; the authors' is rope_interleaved. The norm has eps = 1e-5. The parameters are
// named as in the authors' code.
#pragma once

#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/evaluators/halves_heads.h"
#include "nn/norm.h"

namespace heed::nn {

struct DifferentialEvaluator final : Evaluator, HalvesHeads {
  struct Settings {
    int64_t layer = 0;
    void fields(OptionFields& f) {
      f("layer", layer,
        "l, the number of the layer from 1: lambda_init = 0.8 - 0.6 exp(-0.3 (l - 1)); 0: its place in the stack",
        {0, 1e6});
    }
  };
  static constexpr About about{
      .names = {"E24", "differential", "Diff Transformer"},
      .family = "differences of attention",
      .formula =
          "w = softmax(q1 k1 / sqrt(K/2)) - lambda softmax(q2 k2 / sqrt(K/2));  c = (1 - lambda_init) rms_norm(w v)",
      .paper = {"Ye, Dong, Xia, Sun, Zhu, Huang and Wei, ICLR 2025", 2025, 2},
      .idea =
          "Two softmaxes are computed, and a multiple of the second is subtracted from the first. The weight that both "
          "give to irrelevant words cancels. The factor of the second is learned.",
      .wrong =
          "Weights can be negative and do not sum to one, so an output that copies source words cannot use them as "
          "probabilities.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]; lq1, lk1, lq2, lk2 [K/2], norm [V]",
      .cost = "T S (K + 2 V) multiply-adds a head where dense has T S (K + V); 3 K parameters a layer",
      .own = {"golden_lambda_init", "rows_sum_to_one_minus_lambda", "without_lambda_is_the_first_half",
              "equal_maps_leave_a_share", "each_head_has_its_norm", "halves_are_turned_apart",
              "evaluator_parameters_are_the_models", "the_difference_is_shown"},
      .exempt = {{"rows_sum_to_one", "rows sum to 1 - lambda, and a weight may be negative"}},
      .cases = "differential attention",
  };

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
  int64_t layer;  // from 1; 0: its place in the stack
  Variable lambda_q1, lambda_k1, lambda_q2, lambda_k2;
  RMSNorm norm;

 private:
  Attended difference(const StageSet& stages, const AttentionCall& call, StageContext& context) const;
};

}  // namespace heed::nn
