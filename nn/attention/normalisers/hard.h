// Hard choices: one key has the weight 1, all others 0.
//
//   argmax   w = one_hot(argmax e)                                                       always the same choice
//   gumbel   w = one_hot(argmax(e + g)),  g = -log(-log u),  u uniform in (0, 1)         key s with probability
//                                                                                        softmax(e)_s
//
// (Gumbel's trick; as a layer: Jang, Gu and Poole, and Maddison, Mnih and Teh, both ICLR 2017.) A choice has no
// derivative. Both use the straight-through surrogate, which is biased: forward the choice, backward the gradient of a
// softmax at temperature tau,
//
//   argmax   of softmax(e / tau)         gumbel   of softmax((e + g) / tau)
//
// An evaluated model draws nothing: gumbel is argmax then.
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
  mutable Generator rng;  // the only thing a call changes
};

// Forward one_hot(argmax soft) along the last axis (a row of zeros stays one), backward as if it were soft itself.
Variable straight_through(const Variable& soft);

}  // namespace heed::nn
