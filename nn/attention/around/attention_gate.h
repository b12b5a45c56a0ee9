// A gate on the output of the heads ("Gated attention for large language models"): W_g [D, D]; x what the queries were
// made of. With a gate near 0 a word reads nothing, which a softmax alone cannot express.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/layers.h"

namespace heed::nn {

struct AttentionGate final : Around {
  static constexpr About about{
      .names = {"H4", "attention_gate", "gated attention output"},
      .formula = "head_h <- head_h * sigmoid(x W_g^T + b_g)_h, before the output projection",
      .paper = {"Qiu et al., NeurIPS 2025", 2025, 3},
      .idea =
          "A sigmoid gate decides for each number of each head how much of it is let through. So a head can contribute "
          "nothing although its weights must sum to one. Large language models with this gate no longer put much "
          "weight on the first word.",
      .wrong =
          "The gate is applied before the output projection. It is computed from the input of the queries, not from "
          "the output of attention.",
      .shapes = "[B, T, D] -> [B, T, D]",
      .cost = "2 B T D^2 FLOPs; D^2 + D parameters",
      .own = {"a_gate_of_a_half_halves"},
      .cases = "MultiHeadAttention",
  };
  static constexpr const char* help = "multiply the output of the heads by a sigmoid gate";

  AttentionGate(const AroundOptions& o, Generator& rng) : gate({.in = o.model, .out = o.model, .bias = o.bias}, rng) {}
  Variable after(const Attended& seen, const Variable& x, Passed*) const override {
    const Shape& heads = seen.context.shape();  // [B, H, T, K]
    Variable open = reshape(sigmoid(gate(x)), {heads[0], heads[2], heads[1], heads[3]});
    return seen.context * transpose(open, 1, 2);
  }
  void visit(Visitor& v) override { v.child("gate", gate); }
  Linear gate;
};

}  // namespace heed::nn
