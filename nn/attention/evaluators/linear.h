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
//   quadratic   w v, all [T, S] weights                when the weights are wanted, and under masks
//                                                      that differ from query to query
//   chunkwise   M and z of the chunks before, and the  T (C (K + V) + K V) multiply-adds:
//               quadratic form inside a chunk of C     linear in T
//   recurrent   M and z of all words so far            decoding: K (V + 2) numbers per head,
//                                                      however long the sequence is
// clang-format on
//
// Nothing underflows, because each sum has a scale of its own, as in FAVOR+ (Choromanski et al., "Performers", ICLR
// 2021, code). m_i is the largest log phi(k_s)_i of the keys in the sums, for each feature i by itself:
//
//   k'_si = phi(k_s)_i / e^m_i,   q'_ti = phi(q_t)_i e^m_i / r_t,   r_t = max_i phi(q_t)_i e^m_i
//
// e^m_i cancels in q'_t . k'_s, and r_t cancels in c_t. The feature at which r_t is taken contributes at least 1 to the
// denominator, since some key has k'_si = 1 there. When a word raises m_i, the sums are multiplied by e^(old - new).
//
// A factor of the products, such as 1 / sqrt(K), cancels in the quotient and is not applied. A key padding mask removes
// a word from the sums. There is no running sum for a mask that differs from query to query, such as that of packed
// rows: the quadratic form computes it, at its cost. Rotary positions rotate queries and keys before phi. The weights
// stay positive then, but they depend on the places themselves, and not only on distances. B batch, T queries, S keys,
// H heads, G key-value heads, K and V widths of a head, C words per chunk.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// log phi(x): x for x < 0, log(x + 1) for x >= 0. elu(x) + 1 as written would be 0 below -17 in f32.
Variable linear_log_features(const Variable& x);

// [M z] of some words, divided by e^m: it has no gradient of its own, since it cancels.
struct ScaledSums {
  Variable rows = {};  // [B, G, K, V + 1]
  Tensor scale = {};   // m [B, G, 1, K]
};

struct LinearEvaluator final : Evaluator {
  LinearEvaluator(const EvaluatorOptions& o, Generator&) : chunk(o.settings.whole("chunk")) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  // Takes the queries of the words that were appended last: all of them if the scope is causal.
  Attended step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                StageContext& context) const override;
  int64_t chunk;  // C
};

// The running state. A word cannot be taken out of a sum again, and the first word of a piece must not read the last
// one. So the words that were appended last are kept beside the sums, and join them at the next append. The state
// carries gradients; under NoGrad it builds no graph.
class LinearMemory final : public AttentionMemory {
 public:
  void append(const HeadMemory& words) override;  // padding adds nothing
  HeadMemory view() const override;               // z [B, G, 1, K] as keys, M [B, G, K, V] as values, unscaled
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;
  const ScaledSums& before() const { return sums_; }          // without the last piece
  const Variable& log_features() const { return features_; }  // log phi(k) of the last piece [B, G, n, K]
  const Variable& values() const { return values_; }          // [v 1] of the last piece [B, G, n, V + 1]

 private:
  ScaledSums sums_;
  Variable features_, values_;
  int64_t words_ = 0;
};

}  // namespace heed::nn
