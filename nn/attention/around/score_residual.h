// Scores with a path through the layers ("RealFormer"), in self-attention only.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/around/around.h"

namespace heed::nn {

struct ScoreResidual final : Around {
  static constexpr About about{
      .names = {"H3b", "score_residual", "RealFormer", "residual attention"},
      .formula = "e of layer n <- e of layer n + e of layer n - 1, before the softmax",
      .paper = {"He et al., ACL Findings 2021", 2021, 3},
      .idea =
          "Each layer adds its scores to those of the layer before. So a later layer only corrects the scores of the "
          "layer before it. All scores must be stored for that, which rules out tiled attention.",
      .wrong =
          "The scores are added before the softmax. Adding the weights after it would give rows that sum to more than "
          "one.",
      .shapes = "[B, H, T, S] -> [B, H, T, S]",
      .cost = "B H T S sums per layer, and all scores are stored: no tiled evaluator",
      .own = {"scores_add_up", "steps_pass_on_the_same"},
      .cases = "TransformerStack",
      .more = "refused with mixers, and with evaluators that have no scores",
  };
  static constexpr const char* help = "add the attention scores of the layer before (RealFormer)";
  static constexpr bool passes = true;
  static constexpr const char* refuses_scopes = "scores that are passed on need layers of one scope";
  static bool acts(const AroundOptions& o) { return !o.cross; }

  ScoreResidual(const AroundOptions&, Generator&) {}
  void before(AttentionCall& call, Passed* passed) const override {
    if (!passed) return;
    call.weights = true;  // the evaluator must have the scores
    if (const Variable& e = passed->left[about.name()]; e.defined())
      call.bias = call.bias.defined() ? call.bias + e : e;
  }
  Variable after(const Attended& seen, const Variable&, Passed* passed) const override {
    if (passed) passed->left[about.name()] = seen.scores;
    return seen.context;
  }
  const char* needs_scores() const override {
    return "scores that are passed from layer to layer need an evaluator that has them";
  }
};

}  // namespace heed::nn
