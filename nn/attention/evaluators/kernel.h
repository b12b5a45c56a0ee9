// Kernel attention: what linear attention (linear.h), Performers (performer.h) and their relatives share. They differ
// in their features alone; kernel_sums.h has the formula.
//
// One function in three forms, which agree up to rounding:
//
// clang-format off
//   quadratic   w v, all [T, S] weights                when the weights are wanted, and under masks
//                                                      that differ from query to query
//   chunkwise   M and z of the chunks before, and the  T (C (F + V) + F V) multiply-adds:
//               quadratic form inside a chunk of C     linear in T
//   recurrent   M and z of all words so far            decoding: F (V + 1) numbers per head and
//                                                      the scale, however long the sequence is
// clang-format on
//
// A key padding mask removes a word from the sums. There is no running sum for a mask that differs from query to query,
// such as that of packed rows: the quadratic form computes it, at its cost. Rotary positions rotate queries and keys
// before phi. The weights then depend on the places themselves, and not only on distances. B batch, T queries, S keys,
// H heads, G key-value heads, K and V widths of a head, F features, C words per chunk.
#pragma once

#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/evaluators/kernel_sums.h"

namespace heed::nn {

struct KernelEvaluator : Evaluator {
  KernelEvaluator(std::string called, int64_t words, std::shared_ptr<const FeatureMap> map)
      : name(std::move(called)), chunk(words), features(std::move(map)) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  bool rows_sum_to_one() const override { return features->positive(); }
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool keeps_state() const override { return true; }
  std::unique_ptr<AttentionMemory> memory(const StageSet& stages) const override;
  // Takes the queries of the words that were appended last: all of them if the scope is causal.
  Attended step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                StageContext& context) const override;
  std::string name;
  int64_t chunk;  // C
  std::shared_ptr<const FeatureMap> features;
};

// The running state. A word cannot be taken out of a sum again, and the first word of a piece must not read the last
// one. So the words that were appended last are kept beside the sums, and join them at the next append. The state
// carries gradients; under NoGrad it builds no graph.
class KernelMemory final : public AttentionMemory {
 public:
  explicit KernelMemory(std::shared_ptr<const FeatureMap> map, double scale = 1)
      : map_(std::move(map)), scale_(scale) {}
  void append(const HeadMemory& words) override;  // padding adds nothing
  HeadMemory view() const override;               // z [B, G, 1, F] as keys, M [B, G, F, V] as values, unscaled
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }
  const ScaledSums& before() const { return sums_; }      // without the last piece
  const Features& features() const { return features_; }  // of the keys of the last piece, [B, G, n, F]
  const Variable& values() const { return values_; }      // [v 1] of the last piece [B, G, n, V + 1]

 private:
  std::shared_ptr<const FeatureMap> map_;
  double scale_;
  ScaledSums sums_;
  Features features_;
  Variable values_;
  int64_t words_ = 0;
};

}  // namespace heed::nn
