// Values with a path to the first layer ("Value residual learning"), in self-attention only. Layer 0 of the stack has
// no factors, and leaves its values for the others.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/init.h"

namespace heed::nn {

struct ValueResidual final : Around {
  static constexpr About about{
      .names = {"H3", "value_residual", "ResFormer"},
      .formula = "v of layer n <- l_1 v of layer 1 + l_2 v of layer n,  l learned, 1/2 and 1/2 at first",
      .paper = {"Zhou et al., ACL 2025", 2025, 3},
      .idea =
          "Each layer reads a mixture of its own values and those of the first layer. So deep layers, whose own values "
          "have become similar to each other, still receive the values of the words themselves. The two factors of the "
          "mixture are learned.",
      .wrong =
          "What is mixed in is the value of the first layer, not of the layer before. With a cache, the mixed values "
          "are "
          "kept.",
      .shapes = "[B, G, S, K] -> [B, G, S, K]",
      .cost = "B S D products per layer; 2 parameters per layer but the first",
      .own = {"values_are_mixed", "steps_pass_on_the_same"},
      .cases = "TransformerStack",
  };
  static constexpr const char* help = "mix the values of each layer with those of the first";
  static constexpr bool passes = true;
  static bool acts(const AroundOptions& o) { return !o.cross; }

  ValueResidual(const AroundOptions& o, Generator&) {
    if (o.layer > 0) lambda = full_parameter({2}, 0.5);
  }
  Variable values(const Variable& v, Passed* passed) const override {
    if (!passed) return v;
    const Variable& first = passed->left.try_emplace(about.name(), v).first->second;
    if (!lambda.defined()) return v;
    return select(lambda, 0, 0) * first + select(lambda, 0, 1) * v;
  }
  std::string needs_attention() const override { return "values that are passed on need attention in every layer"; }
  const char* needs_values() const override {
    return lambda.defined()
               ? "values mixed with those of the first layer must be a layer's own, in a memory that keeps values"
               : nullptr;
  }
  void visit(Visitor& v) override { v.parameter("value_mix", lambda); }
  Variable lambda;  // undefined in layer 0
};

}  // namespace heed::nn
