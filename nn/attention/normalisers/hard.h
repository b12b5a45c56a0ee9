// Hard attention weights: one key has the weight 1, all others have 0.
//
// clang-format off
//   argmax   w = one_hot(argmax e)                            deterministic
//   gumbel   w = one_hot(argmax(e + g)),  g = -log(-log u),   key s with probability softmax(e)_s
//            u uniform in (0, 1)
// clang-format on
//
// (The second is the Gumbel-max trick; as a layer: Jang, Gu and Poole, and Maddison, Mnih and Teh, both ICLR 2017.) A
// choice has no derivative, so both use a straight-through surrogate: the forward pass makes the choice, the backward
// pass uses the gradient of a softmax at temperature tau. This gradient is biased.
//
//   argmax   backward of softmax(e / tau)         gumbel   backward of softmax((e + g) / tau)
//
// In evaluation mode nothing is drawn, and gumbel is the same as argmax.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct ArgmaxNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  ArgmaxNormaliser(const Options& options, Generator& rng);
  Variable weights(const Variable& scores, StageContext&) const override;
  bool chooses_one() const override { return true; }
  Options options;
};

struct GumbelNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  GumbelNormaliser(const Options& options, Generator& rng);
  Variable weights(const Variable& scores, StageContext&) const override;
  bool chooses_one() const override { return true; }
  void visit(Visitor& v) override { v.generator("generator", rng); }
  Options options;
  mutable Generator rng;  // the only state that a call changes
};

// Forward: one_hot(argmax soft) along the last axis (a row of zeros stays zero). Backward: the identity, as if the
// result were soft itself.
Variable straight_through(const Variable& soft, const Tensor& scores = {});  // chosen by scores, if given: unrounded

}  // namespace heed::nn
