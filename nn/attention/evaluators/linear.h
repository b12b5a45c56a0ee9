// Linear attention (Katharopoulos et al., "Transformers are RNNs", ICML 2020, eqs. 4 to 12): the softmax of a product
// is replaced by a product of features, so that the sum over keys can be taken before the query is known.
//
//   phi(x) = elu(x) + 1 = exp(x) for x < 0, x + 1 for x >= 0            positive, entry by entry
//   w_ts = phi(q_t) . phi(k_s) / sum_s' phi(q_t) . phi(k_s')            the implied weights: positive, rows sum to 1
//   c_t  = phi(q_t) M / (phi(q_t) . z),   M = sum_s phi(k_s) v_s^T,   z = sum_s phi(k_s)
//
// One function in three forms, which agree up to rounding:
//
// clang-format off
//   quadratic   w v, all [T, S] weights                 to look at them, and under masks that
//                                                       differ from query to query
//   chunkwise   M and z of the chunks before, and the   T (C (K + V) + K V) multiply-adds:
//               quadratic form inside a chunk of C      linear in T
//   recurrent   M and z of all words so far             decoding: K (V + 1) numbers per head,
//                                                       however long the sequence is
// clang-format on
//
// The factor of the score (1 / sqrt(K)) cancels and is not applied. A key padding mask sets phi(k) and v to 0. A mask
// that differs from query to query (packed rows) has no running sum: it is right, but quadratic. Rotary positions turn
// queries and keys before phi: weights stay positive, but depend on places and not on distances alone. B batch, T
// queries, S keys, H heads, G key-value heads, K and V widths of a head, C words per chunk.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

Variable linear_features(const Variable& x);  // phi. exp(x) - 1 + 1 would be 0 below -17 in f32; this never subtracts.

struct LinearEvaluator final : Evaluator {
  LinearEvaluator(const EvaluatorOptions& o, Generator&) : chunk(o.settings.whole("chunk")) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  // The queries of the words that were appended last. They must be all of them where the scope is causal.
  Attended step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                StageContext& context) const override;
  int64_t chunk;  // C
};

// The running state. Sums do not forget: a piece of several words is kept beside the sums until the next append, since
// its first word must not read its last one. It carries gradients, and grows no graph under NoGrad.
class LinearMemory final : public AttentionMemory {
 public:
  void append(const HeadMemory& words) override;  // padding adds nothing
  HeadMemory view() const override;               // z [B, G, 1, K] as keys, M [B, G, K, V] as values
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;
  const Variable& before() const { return sums_; }        // [M z] [B, G, K, V + 1], without the last piece
  const Variable& features() const { return features_; }  // phi(k) of the last piece [B, G, n, K]
  const Variable& values() const { return values_; }      // [v 1] of the last piece [B, G, n, V + 1]

 private:
  Variable sums_, features_, values_;
  int64_t words_ = 0;
};

}  // namespace heed::nn
