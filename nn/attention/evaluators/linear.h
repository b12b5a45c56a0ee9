// Linear attention (Katharopoulos et al., "Transformers are RNNs", ICML 2020, eqs. 4 to 12): the softmax of a product
// is replaced by a product of features, so that the sum over keys can be taken before the query is known.
//
//   phi(x) = elu(x) + 1 = exp(x) for x < 0, x + 1 for x >= 0            positive, entry by entry
//   w_ts = phi(q_t) . phi(k_s) / sum_s' phi(q_t) . phi(k_s')            the implied weights: positive, rows sum to 1
//
// kernel.h has the three forms in which it is computed, and kernel_sums.h the sums. A factor of the products, such as
// 1 / sqrt(K), is not applied: the features are not those of an exponential, which it would have to scale. q_t, k_s
// query and key of a head, K their width.
#pragma once

#include "nn/attention/evaluators/kernel.h"

namespace heed::nn {

// log phi(x): x for x < 0, log(x + 1) for x >= 0. elu(x) + 1 as written would be 0 below -17 in f32.
Variable linear_log_features(const Variable& x);

struct LinearFeatures final : FeatureMap {
  Features of(const Variable& x, double, const Tensor&) const override { return {linear_log_features(x)}; }
};

struct LinearEvaluator final : KernelEvaluator {
  LinearEvaluator(const EvaluatorOptions& o, Generator&)
      : KernelEvaluator(o.name, o.settings.whole("chunk"), std::make_shared<LinearFeatures>()) {}
};

}  // namespace heed::nn
