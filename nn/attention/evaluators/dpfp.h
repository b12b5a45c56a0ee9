// DPFP, the deterministic parameter-free projection (Schlag, Irie and Schmidhuber, "Linear Transformers Are Secretly
// Fast Weight Programmers", ICML 2021): sparse features, more of them than entries, without any draw.
//
//   r(x) = relu([x; -x])                                   2 K entries, at most K of them positive
//   phi(x)_(i, j) = r_i r_(i - j mod 2K),   j = 1 .. nu    2 K nu features
//
// A state of F features can keep at most F keys without mixing them, and elu + 1 has only K features. Each feature here
// is positive in one part of space alone, so keys of different parts do not disturb each other. That also means that a
// query may share no feature with any key: its context is then 0. K width of a head.
#pragma once

#include "nn/attention/evaluators/kernel.h"

namespace heed::nn {

struct RolledProducts final : FeatureMap {
  explicit RolledProducts(int64_t rolls) : nu(rolls) {}
  Features of(const Variable& x, double, const Tensor&) const override;
  bool positive() const override { return false; }
  int64_t nu;
};

struct DPFPEvaluator final : KernelEvaluator {
  DPFPEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.whole("chunk"), std::make_shared<RolledProducts>(o.settings.whole("nu"))),
        width(o.key) {}
  std::string refuses(const StageSet& stages) const override;
  int64_t width;  // K
};

}  // namespace heed::nn
