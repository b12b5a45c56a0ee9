// cosFormer (Qin et al., "cosFormer: Rethinking Softmax in Attention", ICLR 2022): features that are not
// negative, and weights that fall with the distance between two words.
//
//   w_ts  ~  relu(q_t) . relu(k_s) cos(pi/2 (t - s) / M)                      rows are divided by their sum
//   phi(x at place p) = [relu(x) cos(pi p / 2 M); relu(x) sin(pi p / 2 M)]    cos(a - b) = cos a cos b + sin a sin b
//
// The cosine is positive while |t - s| < M, so M, the setting `longest`, bounds the length of a sentence. A query whose
// entries are all negative has no positive feature, and its context is 0. A common factor of all products cancels in
// the quotient. The weights depend on the distance of two words and not on their positions. 2 K features; K width of a
// head, t and s places of query and key.
#pragma once

#include "nn/attention/evaluators/kernel.h"

namespace heed::nn {

struct CosineFeatures final : FeatureMap {
  explicit CosineFeatures(int64_t M) : longest(M) {}
  Features of(const Variable& x, double, const Tensor& places) const override;  // ValueError for a place beyond M
  bool positive() const override { return false; }
  bool reads_places() const override { return true; }
  int64_t longest;  // M
};

struct CosformerEvaluator final : KernelEvaluator {
  CosformerEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.whole("chunk"),
                        std::make_shared<CosineFeatures>(o.settings.whole("longest"))) {}
};

}  // namespace heed::nn
