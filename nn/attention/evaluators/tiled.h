// The tiled evaluator (Dao et al., "FlashAttention", NeurIPS 2022): one operation that goes over blocks of keys and
// never stores a row of weights (autograd/ops_attention.h). It computes scores that are products of query and key,
// under a softmax.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

struct TiledEvaluator final : Evaluator {
  TiledEvaluator(const EvaluatorOptions&, Generator&) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool automatic() const override { return true; }
  bool shows_weights() const override { return false; }
};

}  // namespace heed::nn
