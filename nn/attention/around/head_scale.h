// A learned factor for each head ("NormFormer").
#pragma once

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/init.h"

namespace heed::nn {

struct HeadScale final : Around {
  static constexpr About about{
      .names = {"H7", "head_scale", "NormFormer's head scale"},
      .formula = "head_h <- gamma_h head_h,  gamma learned, 1 at first",
      .paper = {"Shleifer, Weston and Ott, 2021", 2021, 3},
      .idea =
          "Each head has a learned factor for its output. So the model can let some heads contribute more and others "
          "less. It belongs to a recipe that adds norms until the gradients of early and late layers are of one size.",
      .wrong =
          "The factors begin at one and are applied before the output projection. That projection could learn the same "
          "scaling.",
      .shapes = "[B, H, T, K] -> [B, H, T, K]",
      .cost = "B T D products; H parameters",
      .own = {"a_scale_is_in_its_columns"},
      .cases = "MultiHeadAttention",
  };
  static constexpr const char* help = "multiply the output of each head by a learned number";

  HeadScale(const AroundOptions& o, Generator&) : gamma(ones_parameter({o.heads})) {}
  Variable after(const Attended& seen, const Variable&, Passed*) const override {
    return seen.context * reshape(gamma, {-1, 1, 1});
  }
  void visit(Visitor& v) override { v.parameter("head_scale", gamma); }
  Variable gamma;  // [H]
};

}  // namespace heed::nn
